/** Distinct ids, ascending, and the index of each given id among them. */
type DistinctIds = { readonly distinct: Uint32Array; readonly indexes: Uint32Array };

/** By id: its index. Entries left by earlier calls are not read. */
let indexOf = new Uint32Array(0);

export function distinctIds(all: Uint32Array): DistinctIds {
  const sorted = all.slice().sort();
  let count = 0;
  for (let i = 0; i < sorted.length; i += 1) {
    if (i > 0 && sorted[i] === sorted[i - 1]) continue;
    sorted[count] = sorted[i] as number;
    count += 1;
  }
  const distinct = sorted.subarray(0, count);
  const max = distinct.at(-1) ?? 0;
  if (indexOf.length <= max) indexOf = new Uint32Array(max + 1);
  for (let index = 0; index < count; index += 1) indexOf[distinct[index] as number] = index;
  return { distinct, indexes: all.map((id) => indexOf[id] as number) };
}
