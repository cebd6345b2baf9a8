import { LIMITS } from '../../../domain/limits.ts';
import { ExporterDomain } from './exporter-domain.ts';

/** An exporter, by the address from which its datagrams come. */
type Exporter = {
  /** By port, number and protocol; the one that was heard longest ago first. */
  readonly domains: Map<number, ExporterDomain>;
  /** What it takes of the memory for templates, in fields. */
  weight: number;
  datagrams: number;
};

/** What tells a domain from others. */
export type DomainName = {
  readonly address: string;
  readonly port: number;
  readonly number: number;
  readonly isIpfix: boolean;
};

/**
 * What exporters said of the form of their data. Anybody can send datagrams, so everything has a
 * limit; beyond it, what was heard longest ago is forgotten, but first of exporters that were
 * hardly heard at all: addresses are forged by the thousand, and must not displace those that go on
 * sending.
 */
export class ExporterMemory {
  /** By address; the one that was heard longest ago first. */
  readonly #exporters = new Map<string, Exporter>();
  /** Those of which only a few datagrams came so far. */
  readonly #newExporters = new Map<string, Exporter>();
  readonly #onForget: (address: string, domain: ExporterDomain) => void;
  #weight = 0;
  #sweptMs = 0;

  constructor(onForget: (address: string, domain: ExporterDomain) => void) {
    this.#onForget = onForget;
  }

  /** Returns a domain, which knows nothing if it is new. */
  domainOf(name: DomainName, nowMs: number): ExporterDomain {
    const { domains } = this.#exporterOf(name.address);
    const key = keyOf(name);
    const domain = domains.get(key) ?? new ExporterDomain(nowMs);
    domain.heardMs = nowMs;
    domains.delete(key);
    domains.set(key, domain);
    return domain;
  }

  /** Makes room for what was said in a domain, the one that was asked for last. */
  settle({ address }: DomainName, domain: ExporterDomain): void {
    const exporter = this.#exporters.get(address) ?? this.#newExporters.get(address);
    if (exporter === undefined) return;
    this.#count(exporter, domain);
    while (isTooLarge(exporter) && this.#forgetSomeOf(address, exporter, domain));
    while (this.#isTooLarge() && this.#forgetOldestExporter(address));
  }

  /** Forgets templates that are out of date, and whoever was not heard for as long. */
  expire(nowMs: number): void {
    if (Math.abs(nowMs - this.#sweptMs) < LIMITS.templateSweepMs) return;
    this.#sweptMs = nowMs;
    for (const [address, exporter] of [...this.#exporters, ...this.#newExporters]) {
      for (const [key, domain] of exporter.domains) {
        domain.removeOutdated(nowMs);
        this.#count(exporter, domain);
        const isSilent = nowMs - domain.heardMs >= LIMITS.templateLifetimeMs;
        if (isSilent) this.#forget(address, exporter, key);
      }
    }
  }

  /** Returns an exporter, which now is the one that was heard last. */
  #exporterOf(address: string): Exporter {
    const known = this.#exporters.get(address) ?? this.#newExporters.get(address);
    const exporter = known ?? { domains: new Map(), weight: 0, datagrams: 0 };
    exporter.datagrams += 1;
    this.#remove(address);
    const isNew = exporter.datagrams < LIMITS.templateKnownDatagrams;
    (isNew ? this.#newExporters : this.#exporters).set(address, exporter);
    return exporter;
  }

  #remove(address: string): void {
    this.#exporters.delete(address);
    this.#newExporters.delete(address);
  }

  #count(exporter: Exporter, domain: ExporterDomain): void {
    const more = domain.weight - domain.countedWeight;
    domain.countedWeight = domain.weight;
    exporter.weight += more;
    this.#weight += more;
  }

  #isTooLarge(): boolean {
    const exporters = this.#exporters.size + this.#newExporters.size;
    return this.#weight > LIMITS.templateFieldsInAll || exporters > LIMITS.templateExporters;
  }

  /** Forgets another domain of an exporter, or else a template. Returns whether it could. */
  #forgetSomeOf(address: string, exporter: Exporter, domain: ExporterDomain): boolean {
    const [oldest] = exporter.domains.keys();
    if (oldest !== undefined && exporter.domains.size > 1) {
      this.#forget(address, exporter, oldest);
      return true;
    }
    const isRemoved = domain.removeOldest();
    this.#count(exporter, domain);
    return isRemoved;
  }

  /** Forgets another exporter than the one at an address. Returns whether there was one. */
  #forgetOldestExporter(address: string): boolean {
    const oldest = oldestBut(this.#newExporters, address) ?? oldestBut(this.#exporters, address);
    if (oldest === null) return false;
    for (const key of oldest[1].domains.keys()) this.#forget(oldest[0], oldest[1], key);
    return true;
  }

  #forget(address: string, exporter: Exporter, key: number): void {
    const domain = exporter.domains.get(key);
    if (domain === undefined) return;
    exporter.domains.delete(key);
    exporter.weight -= domain.countedWeight;
    this.#weight -= domain.countedWeight;
    if (exporter.domains.size === 0) this.#remove(address);
    this.#onForget(address, domain);
  }
}

/** Returns the exporter that was heard longest ago, unless that is the one at an address. */
function oldestBut(
  exporters: ReadonlyMap<string, Exporter>,
  address: string,
): readonly [string, Exporter] | null {
  const [oldest] = exporters;
  return oldest === undefined || oldest[0] === address ? null : oldest;
}

const isTooLarge = ({ domains, weight }: Exporter): boolean =>
  weight > LIMITS.templateFieldsPerExporter || domains.size > LIMITS.templateDomains;

/** A number of 32 bits, a port of 16 and the protocol fit in what a `number` holds exactly. */
const keyOf = ({ port, number, isIpfix }: DomainName): number =>
  (number * 2 ** 16 + port) * 2 + (isIpfix ? 1 : 0);
