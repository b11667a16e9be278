import type { Plugin } from "rolldown";

/** Makes chunks load the chunk of a library when they first use it. */
export const loadOnUse = (library: string): Plugin => ({
  name: `load-${library}-on-use`,
  renderChunk: (code) => {
    const required = new RegExp(`^const (\\w+) = (require\\("\\./${library}-[^"]+"\\));$`, "m");
    const [line, name, path] = required.exec(code) ?? [];
    if (line === undefined) return null;
    const used = code.replace(line, "").replaceAll(new RegExp(`\\b${name}\\.`, "g"), `(${name}()).`);
    if (new RegExp(`\\b${name}\\b(?!\\(\\))`).test(used)) throw new Error(`${name} is used as a whole`);
    return `let loaded_${name};\nconst ${name} = () => (loaded_${name} ??= ${path});\n${used}`;
  },
});
