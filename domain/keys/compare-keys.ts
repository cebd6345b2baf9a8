/**
 * Returns a negative number, 0 or a positive number if `a` sorts before, with or after `b` in the
 * order of their UTF-8 bytes (decision 24), which is also PostgreSQL's `text collate "C"`.
 */
export function compareKeys(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i += 1) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return utf8Rank(left) - utf8Rank(right);
  }
  return a.length - b.length;
}

/**
 * UTF-8 sorts as code points do. So does UTF-16, with one exception: surrogates, which stand for
 * the code points above U+FFFF, are below U+E000 to U+FFFF. This moves them above.
 */
function utf8Rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
