import { type GraphQLSchema, Kind, parse } from 'graphql';
import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../domain/limits.ts';
import {
  type CompiledOperation,
  compileOperation,
  type RequestedOperation,
} from './compile-operation.ts';
import type { GuardedSchema } from './plan-operation.ts';
import { typeGuards } from './type-scopes.ts';

/** A compiled operation that is kept for later requests. */
export type KeptOperation = CompiledOperation & { readonly text: string };

/** A valid document as it was requested, and its text. */
type RequestedText = RequestedOperation & { readonly text: string };

/**
 * Compiled operations by document *and* operation name. Those that are requested often, and those
 * of trusted documents, are kept. The size of the former in memory is bounded.
 */
export class CompiledQueries {
  readonly #schema: GuardedSchema;
  readonly #hotAfter: number;
  /** The operations of each trusted document by name; null: it was not requested yet. */
  readonly #trusted = new Map<string, ReadonlyMap<string | null, KeptOperation> | null>();
  readonly #kept = new LRUCache<string, KeptOperation>({
    maxSize: LIMITS.compiledDocumentCharacters,
    sizeCalculation: ({ size }, key) => size + key.length,
  });
  /** Requests for an operation since it was last kept. */
  readonly #asked = new LRUCache<string, number>({
    maxSize: LIMITS.notedDocumentCharacters,
    sizeCalculation: (_, key) => key.length,
  });

  /** hotAfter: how often an operation is requested before it is kept; 0: never. */
  constructor(schema: GraphQLSchema, hotAfter: number) {
    this.#schema = { schema, guards: typeGuards(schema) };
    this.#hotAfter = hotAfter;
  }

  /** null: it is not kept. */
  find(text: string, operationName: string | null): KeptOperation | null {
    const trusted = this.#trustedOperations(text)?.get(operationName);
    return trusted ?? this.#kept.get(keyOf(text, operationName)) ?? null;
  }

  /** Compiles an operation, to be run once. Errors: the document has none of that name. */
  compile(requested: RequestedOperation): CompiledOperation {
    return compileOperation(this.#schema, requested);
  }

  /**
   * Counts a request for an operation. Returns it if it is kept by now; null: it is not requested
   * often enough. Errors: the document has none of that name.
   */
  note(requested: RequestedText): KeptOperation | null {
    const { text, operationName } = requested;
    const known = this.find(text, operationName);
    if (known) return known;
    const key = keyOf(text, operationName);
    const times = (this.#asked.get(key) ?? 0) + 1;
    const isHot = this.#hotAfter > 0 && times >= this.#hotAfter;
    this.#asked.set(key, isHot ? 0 : times);
    if (!isHot) return null;
    const operation = { text, ...this.compile(requested) };
    this.#kept.set(key, operation);
    // One that is too large with its fragments expanded is not kept.
    return this.#kept.get(key) ?? null;
  }

  /** Compiles the operations of a valid document when it is first requested, and keeps them. */
  trust(text: string): void {
    this.#trusted.set(text, null);
  }

  #trustedOperations(text: string): ReadonlyMap<string | null, KeptOperation> | undefined {
    const known = this.#trusted.get(text);
    if (known !== null) return known;
    const operations = this.#compileAll(text);
    this.#trusted.set(text, operations);
    return operations;
  }

  #compileAll(text: string): Map<string | null, KeptOperation> {
    const document = parse(text);
    const names = document.definitions.flatMap((each) =>
      each.kind === Kind.OPERATION_DEFINITION ? [each.name?.value ?? null] : [],
    );
    // The only operation of a document need not be named.
    const all = names.length === 1 ? [null, ...names] : names;
    return new Map(
      all.map((operationName) => [
        operationName,
        { text, ...this.compile({ document, operationName }) },
      ]),
    );
  }
}

/** A name in JSON has no line break, so no other name and document have the same key. */
const keyOf = (text: string, operationName: string | null): string =>
  `${JSON.stringify(operationName)}\n${text}`;
