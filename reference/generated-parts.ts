/** The opening mark of a part that is written by a program; `<!-- end -->` closes it. */
const PART = /^<!-- generated: ([\w-]+) -->\n[\s\S]*?^<!-- end -->$/gm;

/** The names of a page's parts, in their order. */
export const partNames = (page: string): string[] =>
  [...page.matchAll(PART)].map(([, name = '']) => name);

/** The page with every part written anew. Errors: a part that nobody can write. */
export function writeParts(page: string, parts: Readonly<Record<string, string>>): string {
  return page.replaceAll(PART, (_, name: string) => {
    const text = parts[name];
    if (text === undefined) throw new Error(`there is no generated part called ${name}`);
    return `<!-- generated: ${name} -->\n\n${text.trim()}\n\n<!-- end -->`;
  });
}
