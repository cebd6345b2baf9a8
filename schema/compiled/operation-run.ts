import { type FieldNode, getArgumentValues, locatedError, responsePathAsArray } from 'graphql';
import { joinPieces, type Piece } from '../../domain/text/long-text.ts';
import { FieldProgress, type Progress } from '../../resolvers/operation-progress.ts';
import type { OperationScope } from '../operation-scope.ts';
import type { Variables } from './collect-fields.ts';
import { addPath, CollectedErrors, type Path } from './collected-errors.ts';
import { FieldInfo } from './field-info.ts';
import type { Arguments, Failing, FieldPlan, Run, RunDocument, Text } from './field-plan.ts';
import { arePieces, isPending, isPromise } from './is-promise.ts';

/** What a run shares with the runs of its fields that may end earlier. */
type Shared = {
  readonly document: RunDocument;
  readonly scope: OperationScope;
  readonly variables: Variables;
  readonly rootValue: unknown;
  readonly errors: CollectedErrors;
  /** Arguments that depend on variables, by the number of their field, once they are known. */
  readonly args: (Arguments | undefined)[];
};

type RunOptions = Pick<Run, 'document' | 'scope' | 'variables' | 'rootValue' | 'progress'>;

/** Returns the run of an operation, with the errors that it will collect. */
export function startRun({ progress, ...given }: RunOptions): OperationRun {
  return new OperationRun({ ...given, errors: new CollectedErrors(), args: [] }, progress);
}

/**
 * One run of an operation. It follows graphql-js step by step, with three differences: what depends
 * only on the document was computed before, results are written as JSON directly, where graphql-js
 * builds objects, and every value passes `progress`.
 */
export class OperationRun implements Run {
  readonly #shared: Shared;
  readonly progress: Progress;

  constructor(shared: Shared, progress: Progress) {
    this.#shared = shared;
    this.progress = progress;
  }

  get document(): RunDocument {
    return this.#shared.document;
  }

  get scope(): OperationScope {
    return this.#shared.scope;
  }

  get variables(): Variables {
    return this.#shared.variables;
  }

  get rootValue(): unknown {
    return this.#shared.rootValue;
  }

  get errors(): CollectedErrors {
    return this.#shared.errors;
  }

  /** GraphQL specification, "Executing Selection Sets". */
  renderFields(fields: readonly FieldPlan[], source: unknown, path: Path | undefined): Text {
    this.progress.take(fields.length);
    let text = '{';
    let parts: Text[] | null = null;
    let written = 0;
    try {
      for (const field of fields) {
        text += field.lead;
        const value = this.#renderField(field, source, path);
        if (typeof value === 'string') {
          text += value;
          written += field.isComposite ? field.lead.length : field.lead.length + value.length;
        } else {
          parts ??= [];
          parts.push(text, value);
          text = '';
        }
      }
    } catch (error) {
      if (!parts) throw error;
      return failAfter(parts, error);
    }
    this.progress.write(written);
    if (!parts) return `${text}}`;
    parts.push(`${text}}`);
    return joined(parts);
  }

  /** The same, one field after the other: the root fields of a mutation. */
  async renderSerially(fields: readonly FieldPlan[], source: unknown): Promise<Piece> {
    this.progress.take(fields.length);
    const parts: Text[] = ['{'];
    for (const field of fields) {
      parts.push(field.lead, await this.#renderField(field, source, undefined));
    }
    parts.push('}');
    return joined(parts);
  }

  #renderField(field: FieldPlan, source: unknown, parent: Path | undefined): Text {
    // Only nested fields and errors need it.
    const path = field.isComposite ? addFieldPath(field, parent) : undefined;
    try {
      const text = this.#complete(field, source, parent, path);
      if (!isPending(text)) return text;
      const place = path ?? addFieldPath(field, parent);
      return text.then(undefined, (error) => this.fail(field, error, place));
    } catch (error) {
      return this.fail(field, error, path ?? addFieldPath(field, parent));
    }
  }

  /** Not an object of parameters: it would be created for each value. */
  #complete(
    field: FieldPlan,
    source: unknown,
    parent: Path | undefined,
    path: Path | undefined,
  ): Text {
    const args = field.args ?? this.#argumentsOf(field);
    if (field.hasTimeLimit && typeof args['timeoutSeconds'] === 'number') {
      return this.#completeWithin(args['timeoutSeconds'], (run) => {
        const value = run.#resolve(field, source, args, parent);
        return isPromise(value)
          ? value.then((resolved) => field.complete(run, resolved, path))
          : field.complete(run, value, path);
      });
    }
    const value = this.#resolve(field, source, args, parent);
    return isPromise(value)
      ? value.then((resolved) => field.complete(this, resolved, path))
      : field.complete(this, value, path);
  }

  /** Ends a field, with everything below it, when its own time limit has passed. */
  #completeWithin(seconds: number, complete: (run: OperationRun) => Text): Text {
    const progress = new FieldProgress(this.progress);
    const text = complete(new OperationRun(this.#shared, progress));
    if (!isPending(text)) return text;
    return this.scope.reads.within(seconds, text).catch((error: unknown) => {
      progress.end(error);
      throw error;
    });
  }

  #resolve(field: FieldPlan, source: unknown, args: Arguments, parent: Path | undefined): unknown {
    const { resolve, name } = field.definition;
    if (resolve) return resolve(source, args, this.scope, new FieldInfo(this, field, parent));
    const value: unknown = propertyOf(source, name);
    if (typeof value !== 'function') return value;
    return value.call(source, args, this.scope, new FieldInfo(this, field, parent));
  }

  /** The arguments are the same for all objects of a list. */
  #argumentsOf({ number, definition, nodes }: FieldPlan): Arguments {
    const { args, variables } = this.#shared;
    const known = args[number];
    if (known) return known;
    const values = getArgumentValues(definition, nodes[0] as FieldNode, variables);
    args[number] = values;
    return values;
  }

  fail({ nodes, isNonNull }: Failing, cause: unknown, path: Path): 'null' {
    // The error that ends the whole operation is no error of this field.
    this.progress.requireGoing();
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

const addFieldPath = ({ name, parentType }: FieldPlan, parent: Path | undefined): Path =>
  addPath(parent, name, parentType.name);

/**
 * Fails once all parts have settled, as late as graphql-js does: promises that are still pending
 * may be rejected too, and must be handled.
 */
const failAfter = (parts: readonly Text[], error: unknown): Promise<never> =>
  Promise.all(parts)
    .then(joinPieces)
    .finally(() => {
      throw error;
    }) as Promise<never>;

const joined = (parts: readonly Text[]): Text =>
  arePieces(parts) ? joinPieces(parts) : Promise.all(parts).then((all) => joinPieces(all));
