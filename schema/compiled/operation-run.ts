import { type FieldNode, getArgumentValues, locatedError, responsePathAsArray } from 'graphql';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import type { Variables } from './collect-fields.ts';
import { addPath, CollectedErrors, type Path } from './collected-errors.ts';
import { FieldInfo } from './field-info.ts';
import type { Arguments, Failing, FieldPlan, Run, RunDocument, Text } from './field-plan.ts';
import { isPromise } from './is-promise.ts';

/**
 * One run of a compiled operation. It follows graphql-js step by step, with two differences: what
 * depends only on the document was computed before, and results are written as JSON directly, where
 * graphql-js builds objects.
 */
export class OperationRun implements Run {
  readonly document: RunDocument;
  readonly scope: RequestScope;
  readonly variables: Variables;
  readonly errors = new CollectedErrors();
  /** Arguments that depend on variables, by the number of their field, once they are known. */
  readonly #args: (Arguments | undefined)[] = [];

  constructor(document: RunDocument, scope: RequestScope, variables: Variables) {
    this.document = document;
    this.scope = scope;
    this.variables = variables;
  }

  /** GraphQL specification, "Executing Selection Sets". */
  renderFields(fields: readonly FieldPlan[], source: unknown, path: Path | undefined): Text {
    let text = '{';
    let parts: Text[] | null = null;
    try {
      for (const field of fields) {
        text += field.lead;
        const value = this.#renderField(field, source, path);
        if (typeof value === 'string') {
          text += value;
        } else {
          parts ??= [];
          parts.push(text, value);
          text = '';
        }
      }
    } catch (error) {
      if (!parts) throw error;
      // Promises that are still pending may be rejected too, and must be handled.
      return joined(parts).finally(() => {
        throw error;
      });
    }
    if (!parts) return `${text}}`;
    parts.push(`${text}}`);
    return joined(parts);
  }

  #renderField(field: FieldPlan, source: unknown, parent: Path | undefined): Text {
    const { complete } = field;
    // Only nested fields and errors need it.
    const path = field.isComposite ? pathOf(field, parent) : undefined;
    try {
      const value = this.#resolve(field, source, parent);
      const text = isPromise(value)
        ? value.then((resolved) => complete(this, resolved, path))
        : complete(this, value, path);
      return typeof text === 'string'
        ? text
        : this.#guarded(text, field, path ?? pathOf(field, parent));
    } catch (error) {
      return this.fail(field, error, path ?? pathOf(field, parent));
    }
  }

  #guarded(text: Promise<string>, field: FieldPlan, path: Path): Promise<string> {
    return text.then(undefined, (error) => this.fail(field, error, path));
  }

  #resolve(field: FieldPlan, source: unknown, parent: Path | undefined): unknown {
    const { definition } = field;
    const args = field.args ?? this.#argumentsOf(field);
    const { resolve } = definition;
    if (resolve) return resolve(source, args, this.scope, new FieldInfo(this, field, parent));
    const value: unknown = propertyOf(source, definition.name);
    if (typeof value !== 'function') return value;
    return value.call(source, args, this.scope, new FieldInfo(this, field, parent));
  }

  /** The arguments are the same for all objects of a list. */
  #argumentsOf({ number, definition, nodes }: FieldPlan): Arguments {
    const known = this.#args[number];
    if (known) return known;
    const args = getArgumentValues(definition, nodes[0] as FieldNode, this.variables);
    this.#args[number] = args;
    return args;
  }

  fail({ nodes, isNonNull }: Failing, cause: unknown, path: Path): 'null' {
    const error = locatedError(cause, nodes, responsePathAsArray(path));
    if (isNonNull) throw error;
    this.errors.add(error, path);
    return 'null';
  }
}

/** A field without a resolver reads the property of the same name. */
const propertyOf = (source: unknown, name: string): unknown =>
  typeof source === 'object' && source !== null
    ? (source as Readonly<Record<string, unknown>>)[name]
    : undefined;

const pathOf = ({ name, parentType }: FieldPlan, parent: Path | undefined): Path =>
  addPath(parent, name, parentType.name);

const joined = async (parts: readonly Text[]): Promise<string> =>
  (await Promise.all(parts)).join('');
