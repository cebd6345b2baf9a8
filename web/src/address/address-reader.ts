/** A part of an address that cannot be used. */
export type AddressFault = {
  readonly name: string;
  readonly given: string;
  /** What it may be. */
  readonly must: string;
  /** What is shown instead. */
  readonly instead: string;
};

/** How the text of a parameter is read, and in what words its fault is told. */
type Parameter<T, Otherwise> = {
  /** Returns null for a text that cannot be used. */
  readonly parse: (text: string) => T | null;
  readonly must: string;
  readonly otherwise: Otherwise;
  readonly instead: string;
};

/** Reads the parameters of an address, and remembers what is wrong with them. */
export type AddressReader = {
  /** Returns the text of a parameter; null if it is left out or empty. */
  text(name: string): string | null;
  read<T, Otherwise = T>(name: string, parameter: Parameter<T, Otherwise>): T | Otherwise;
  /** Returns one of some words; the first one if it is left out. */
  oneOf<T extends string>(name: string, words: readonly [T, ...T[]]): T;
  list(name: string): readonly string[];
  /** Notes that a parameter means nothing beside another. */
  ignored(name: string, beside: string): void;
  faults(): readonly AddressFault[];
  /** Returns the names that nothing was read of. */
  unknown(): readonly string[];
};

export function addressReader(given: URLSearchParams): AddressReader {
  const known = new Set<string>();
  const faults: AddressFault[] = [];
  const text: AddressReader['text'] = (name) => {
    known.add(name);
    const [first, second] = given.getAll(name);
    if (first !== undefined && second !== undefined && second !== first) {
      faults.push({ name, given: second, must: 'given only once', instead: `“${first}”` });
    }
    return first || null;
  };
  const read: AddressReader['read'] = (name, { parse, must, otherwise, instead }) => {
    const found = text(name);
    if (found === null) return otherwise;
    const value = parse(found);
    if (value === null) faults.push({ name, given: found, must, instead });
    return value ?? otherwise;
  };
  return {
    text,
    read,
    oneOf(name, words) {
      const [first, ...others] = words;
      return read(name, {
        parse: (found) => words.find((word) => word === found) ?? null,
        must: `${[first, ...others.slice(0, -1)].join(', ')} or ${others.at(-1)}`,
        otherwise: first,
        instead: first,
      });
    },
    list(name) {
      known.add(name);
      return [...new Set(given.getAll(name).filter((value) => value !== ''))];
    },
    ignored(name, beside) {
      faults.push({
        name,
        given: given.get(name) ?? '',
        must: `left out beside ${beside}`,
        instead: `${beside}=${given.get(beside)}`,
      });
    },
    faults: () => faults,
    unknown: () => [...new Set(given.keys())].filter((name) => !known.has(name)),
  };
}
