import { LIMITS } from '../../../domain/limits.ts';
import { FirewallConnections } from './firewall-connections.ts';
import { type FlowPlan, flowPlan } from './flow-plan.ts';
import { type RecordForm, recordForm } from './record-form.ts';
import { Samplers } from './samplers.ts';
import { type TemplateDefinition, templateFields, usableFieldCount } from './template-sets.ts';

/** A template that an exporter has sent. */
export type Template = {
  /** Its definition, by which it is known when it is sent again. */
  readonly definition: TemplateDefinition;
  /** How to read its records; null before the first: some templates are sent but never used. */
  layout: TemplateLayout | null;
  /** What it takes of the memory for templates, in fields. */
  readonly weight: number;
  /** When it was received last, in milliseconds since 1970. */
  receivedMs: number;
};

/** A connection takes about as much memory as so many fields. */
const CONNECTION_FIELDS = 4;

/** How to read the records of a template. */
export type TemplateLayout = {
  readonly form: RecordForm;
  /** How to read their flows; null: they are options. */
  readonly plan: FlowPlan | null;
};

/**
 * What an exporter said in one of its domains. A domain is a source id of NetFlow 9 or an
 * observation domain of IPFIX, with the port that its datagrams come from.
 */
export class ExporterDomain {
  readonly samplers = new Samplers();
  readonly connections = new FirewallConnections();
  /** When the exporter started, in milliseconds since 1970, as options say; null: not said. */
  initMs: number | null = null;
  /** When it was heard last. */
  heardMs: number;
  /** Its weight when it was last counted. */
  countedWeight = 0;
  /** By number; that which was received longest ago first. */
  readonly #templates = new Map<number, Template>();
  #templateWeight = 0;
  /** The uptime heard last, and when the exporter had the uptime 0, modulo 2^32. */
  #uptimeMs = 0;
  #bootMs: number | null = null;

  constructor(nowMs: number) {
    this.heardMs = nowMs;
  }

  /** What it takes of the memory for templates, in fields. */
  get weight(): number {
    const others = this.samplers.size + this.connections.size * CONNECTION_FIELDS;
    return LIMITS.templateOverheadFields + this.#templateWeight + others;
  }

  /** Returns a template that is in force; null if there is none. */
  templateOf(id: number, nowMs: number): Template | null {
    const template = this.#templates.get(id);
    return template === undefined || isOutdated(template, nowMs) ? null : template;
  }

  /**
   * Takes a template, which replaces an earlier one with its number. Returns false if its records
   * could not be read; then those of the earlier one cannot either.
   */
  define(definition: TemplateDefinition, nowMs: number): boolean {
    const { id } = definition;
    const known = this.#templates.get(id);
    this.#remove(id);
    if (known !== undefined && isSame(known, definition)) {
      known.receivedMs = nowMs;
      this.#add(id, known);
      return true;
    }
    const template = templateOf(definition, nowMs);
    if (template !== null) this.#add(id, template);
    return template !== null;
  }

  /**
   * Takes the uptime of a datagram. If it went back while time did not, the exporter restarted: its
   * templates and connections may have other numbers now (RFC 3954, section 9). Its samplers stay
   * until it says something else, because it may do so much later.
   */
  noteUptime(uptimeMs: number, sentMs: number): void {
    const bootMs = sentMs - uptimeMs;
    const isSameBoot =
      this.#bootMs === null || Math.abs((bootMs - this.#bootMs) | 0) <= LIMITS.exporterRestartMs;
    const isRestart = !isSameBoot && uptimeMs < this.#uptimeMs;
    if (isRestart) this.#clear();
    // What is left is a datagram from before a restart, or a clock that was set.
    if (!isSameBoot && !isRestart) return;
    this.#bootMs = bootMs;
    this.#uptimeMs = uptimeMs;
  }

  /** Removes the template that was received longest ago. Returns false if there is none. */
  removeOldest(): boolean {
    const [oldest] = this.#templates.keys();
    if (oldest === undefined) return false;
    this.#remove(oldest);
    return true;
  }

  removeOutdated(nowMs: number): void {
    for (const [id, template] of this.#templates) {
      if (isOutdated(template, nowMs)) this.#remove(id);
    }
  }

  #add(id: number, template: Template): void {
    if (this.#templates.size >= LIMITS.templatesPerDomain) this.removeOldest();
    this.#templates.set(id, template);
    this.#templateWeight += template.weight;
  }

  #remove(id: number): void {
    this.#templateWeight -= this.#templates.get(id)?.weight ?? 0;
    this.#templates.delete(id);
  }

  #clear(): void {
    this.#templates.clear();
    this.connections.clear();
    this.#templateWeight = 0;
  }
}

/** RFC 7011, section 8.4; RFC 3954, section 10. */
const isOutdated = ({ receivedMs }: Template, nowMs: number): boolean =>
  nowMs - receivedMs >= LIMITS.templateLifetimeMs;

/** A definition of options never has as many bytes as another one. */
const isSame = ({ definition }: Template, { bytes }: TemplateDefinition): boolean =>
  definition.bytes.equals(bytes);

function templateOf(definition: TemplateDefinition, nowMs: number): Template | null {
  const count = usableFieldCount(definition);
  if (count === null) return null;
  const { id, kind, bytes } = definition;
  return {
    definition: { id, kind, bytes: ownBytes(bytes) },
    layout: null,
    weight: LIMITS.templateOverheadFields + count,
    receivedMs: nowMs,
  };
}

/** Returns how to read the records of a template. */
export function layoutOf(template: Template): TemplateLayout {
  template.layout ??= layOut(template.definition);
  return template.layout;
}

function layOut(definition: TemplateDefinition): TemplateLayout {
  const fields = templateFields(definition);
  if (definition.kind.isOfOptions) return { form: recordForm(fields), plan: null };
  const plan = flowPlan(fields);
  return { form: plan.form, plan };
}

/**
 * Copies bytes into memory of their own: Node takes small buffers from a larger one, all of which
 * would be kept with them.
 */
export function ownBytes(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
