// Ignores further clicks on the button while the response is awaited: they would use up the link, or send another mail.
const pause = 10_000;
for (const form of document.forms) {
  let sentAt = Number.NEGATIVE_INFINITY;
  form.addEventListener("submit", (event) => {
    if (event.timeStamp - sentAt < pause) event.preventDefault();
    else sentAt = event.timeStamp;
  });
  // The back button may show the page as it was left.
  addEventListener("pageshow", () => {
    sentAt = Number.NEGATIVE_INFINITY;
  });
}
