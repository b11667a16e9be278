interface Page {
  readonly data: readonly { readonly id: number }[];
  readonly meta: { readonly next_cursor: string | null; readonly prev_cursor: string | null };
}

/** Walks to the last page and back to the first, and returns the IDs of both ways. */
export async function walkPages(ask: (cursor?: string) => Promise<Page>): Promise<{ forth: number[]; back: number[] }> {
  const idsOf = ({ data }: Page) => data.map(({ id }) => id);
  let page = await ask();
  const forth = idsOf(page);
  while (page.meta.next_cursor) {
    page = await ask(page.meta.next_cursor);
    forth.push(...idsOf(page));
  }
  const back = idsOf(page);
  while (page.meta.prev_cursor) {
    page = await ask(page.meta.prev_cursor);
    back.unshift(...idsOf(page));
  }
  return { forth, back };
}
