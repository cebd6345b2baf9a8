import { malformed, shown } from '../../domain/errors.ts';

/** A JSON value that no parameter can be: an object, or a list within a list. */
export const NESTED = Symbol('nested value');

type ParameterValue = string | typeof NESTED;

/** The values given for each name, in their order. Empty texts are "not given" and omitted. */
export class Parameters {
  readonly #values = new Map<string, ParameterValue[]>();

  /** `name[]` is the list `name` (decision 1). */
  add(name: string, value: ParameterValue): void {
    if (value === '') return;
    const plain = name.endsWith('[]') ? name.slice(0, -2) : name;
    const known = this.#values.get(plain);
    if (known) known.push(value);
    else this.#values.set(plain, [value]);
  }

  /** Returns these parameters, and those that only `others` has: a body wins over a query. */
  over(others: Parameters): Parameters {
    const both = new Parameters();
    for (const [name, values] of [...others.#values, ...this.#values]) {
      both.#values.set(name, values);
    }
    return both;
  }

  /** Whether there is a value, however malformed. */
  isGiven(name: string): boolean {
    return this.#values.has(name);
  }

  /** null: not given. Errors: given more than once, nested. */
  text(name: string): string | null {
    const values = this.list(name);
    if (values.length > 1) throw malformed(name, 'given once', values.join(', '));
    return values[0] ?? null;
  }

  list(name: string): string[] {
    return (this.#values.get(name) ?? []).map((value) => {
      if (value === NESTED) throw malformed(name, 'a plain value', 'a nested one');
      return value;
    });
  }
}

export function fromQuery(query: Iterable<[string, string]>): Parameters {
  const parameters = new Parameters();
  for (const [name, value] of query) parameters.add(name, value);
  return parameters;
}

/** Reads a flat object: null is "not given", a list stays one, numbers and booleans become text. */
export function fromObject(body: Readonly<Record<string, unknown>>): Parameters {
  const parameters = new Parameters();
  for (const [name, value] of Object.entries(body)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== null) parameters.add(name, toParameter(item));
    }
  }
  return parameters;
}

const toParameter = (value: unknown): ParameterValue =>
  typeof value === 'object' ? NESTED : typeof value === 'string' ? value : shown(value);
