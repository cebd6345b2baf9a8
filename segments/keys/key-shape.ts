/** A number in a key: `width` bytes (1 to 4) from byte `at` on, the most significant first. */
export type KeyField = { readonly at: number; readonly width: number };

/**
 * A byte that is the same in all keys of a shape and distinguishes them from those of another
 * shape.
 */
export type KeyTag = { readonly at: number; readonly value: number };

/** A layout of keys or of parts of keys that are made of bytes. Fields and tags fill it. */
export type KeyShape = {
  readonly length: number;
  readonly fields: readonly KeyField[];
  readonly tags: readonly KeyTag[];
};

/** Returns every shape that joins one of `firsts` and one of `seconds`; the latter vary fastest. */
export const joinShapes = (
  firsts: readonly KeyShape[],
  seconds: readonly KeyShape[],
): readonly KeyShape[] =>
  firsts.flatMap((first) => seconds.map((second) => appendShape(first, second)));

function appendShape(first: KeyShape, second: KeyShape): KeyShape {
  const moved = <Placed extends { readonly at: number }>(placed: Placed): Placed => ({
    ...placed,
    at: placed.at + first.length,
  });
  return {
    length: first.length + second.length,
    fields: [...first.fields, ...second.fields.map(moved)],
    tags: [...first.tags, ...second.tags.map(moved)],
  };
}

const FIELD_BYTES = 4;

/** Divides `length` bytes from byte `at` on into fields of four bytes and one for the rest. */
export const fieldsOf = (at: number, length: number): KeyField[] =>
  Array.from({ length: Math.ceil(length / FIELD_BYTES) }, (_, i) => ({
    at: at + i * FIELD_BYTES,
    width: Math.min(FIELD_BYTES, length - i * FIELD_BYTES),
  }));

export const maxFields = (shapes: readonly KeyShape[]): number =>
  Math.max(...shapes.map(({ fields }) => fields.length));

/** Returns the length of all shapes if they have the same one; otherwise null. */
export function commonLength(shapes: readonly KeyShape[]): number | null {
  const [first, ...others] = shapes;
  return first && others.every(({ length }) => length === first.length) ? first.length : null;
}

/** Writes the tags of a key that begins at `start`. */
export function putTags(bytes: Uint8Array, start: number, { tags }: KeyShape): void {
  for (let t = 0; t < tags.length; t += 1) {
    const { at, value } = tags[t] as KeyTag;
    bytes[start + at] = value;
  }
}
