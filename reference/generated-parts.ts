/** A generated part: it starts at this marker and ends at `<!-- end -->`. */
const PART = /^<!-- generated: ([\w-]+) -->\n[\s\S]*?^<!-- end -->$/gm;

/** Returns the names of a page's generated parts, in order. */
export const partNames = (page: string): string[] =>
  [...page.matchAll(PART)].map(([, name = '']) => name);

/** Returns the page with every part regenerated. Errors: a part has no generator. */
export function writeParts(page: string, parts: Readonly<Record<string, string>>): string {
  return page.replaceAll(PART, (_, name: string) => {
    const text = parts[name];
    if (text === undefined) throw new Error(`there is no generated part called ${name}`);
    return `<!-- generated: ${name} -->\n\n${text.trim()}\n\n<!-- end -->`;
  });
}
