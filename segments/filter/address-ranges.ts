import type { Network } from '../../domain/keys/address-forms.ts';

/** The layout of an address in a compact key: `tags` tag bytes follow the first `tagAt` bytes. */
type AddressLayout = { readonly length: number; readonly tagAt: number; readonly tags: number };

/** The first and last address of each network of one family, ordered and disjoint. */
type Family = { readonly firsts: readonly Uint8Array[]; readonly lasts: readonly Uint8Array[] };

/** Determines which addresses lie in any of many networks, by binary search. */
export class AddressRanges {
  readonly #families: ReadonlyMap<number, Family>;
  readonly #address = new Uint8Array(16);

  constructor(networks: readonly Network[]) {
    this.#families = new Map([4, 16].map((length) => [length, familyOf(networks, length)]));
  }

  /** Whether the address of a compact key that begins at `from` is in one of the networks. */
  has(bytes: Uint8Array, from: number, { length, tagAt, tags }: AddressLayout): boolean {
    const family = this.#families.get(length);
    if (family === undefined || family.firsts.length === 0) return false;
    for (let i = 0; i < length; i += 1) {
      this.#address[i] = bytes[from + (i < tagAt ? i : i + tags)] as number;
    }
    return this.#isIn(family);
  }

  #isIn({ firsts, lasts }: Family): boolean {
    let from = 0;
    let to = firsts.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#compare(firsts[middle] as Uint8Array) >= 0) from = middle + 1;
      else to = middle;
    }
    return from > 0 && this.#compare(lasts[from - 1] as Uint8Array) <= 0;
  }

  #compare(other: Uint8Array): number {
    for (let i = 0; i < other.length; i += 1) {
      const difference = (this.#address[i] as number) - (other[i] as number);
      if (difference !== 0) return difference;
    }
    return 0;
  }
}

function familyOf(networks: readonly Network[], length: number): Family {
  const ranges = networks
    .filter(({ bytes }) => bytes.length === length)
    .map(rangeOf)
    .sort((a, b) => Buffer.compare(a.first, b.first) || Buffer.compare(b.last, a.last));
  const firsts: Uint8Array[] = [];
  const lasts: Uint8Array[] = [];
  for (const { first, last } of ranges) {
    const before = lasts.at(-1);
    // Networks that overlap are nested, so this one is already covered.
    if (before !== undefined && Buffer.compare(first, before) <= 0) continue;
    firsts.push(first);
    lasts.push(last);
  }
  return { firsts, lasts };
}

function rangeOf({ bytes, prefix }: Network): { first: Uint8Array; last: Uint8Array } {
  const host = bytes.map((_, i) => 0xff >> Math.min(8, Math.max(0, prefix - 8 * i)));
  return {
    first: Uint8Array.from(bytes, (byte, i) => byte & ~(host[i] ?? 0)),
    last: Uint8Array.from(bytes, (byte, i) => byte | (host[i] ?? 0)),
  };
}

/** Networks, of which those count that are no smaller than another. */
export class OuterNetworks {
  readonly all: AddressRanges;
  readonly #networks: readonly Network[];
  readonly #byPrefix = new Map<number, AddressRanges>();

  constructor(networks: readonly Network[]) {
    this.#networks = networks;
    this.all = new AddressRanges(networks);
  }

  /** Returns those whose prefix is not longer. */
  notSmallerThan(prefix: number): AddressRanges {
    const ranges =
      this.#byPrefix.get(prefix) ??
      new AddressRanges(this.#networks.filter((each) => each.prefix <= prefix));
    this.#byPrefix.set(prefix, ranges);
    return ranges;
  }
}
