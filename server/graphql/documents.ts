import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type DocumentNode, parse, validate } from 'graphql';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { malformed, serviceError } from '../../domain/errors.ts';
import { isObject } from '../../domain/is-object.ts';
import { LIMITS } from '../../domain/limits.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';
import { schema } from '../../schema/schema.ts';
import type { TrustedDocuments } from '../service/service.ts';

/** The parameters of a request that name its document. */
export type DocumentParams = {
  readonly query?: unknown;
  /** GraphQL over HTTP, "Persisted Documents": `sha256:…`, or another name of the document. */
  readonly documentId?: unknown;
  readonly extensions?: unknown;
};

/**
 * Documents by their hash: trusted ones, and those that signed-in callers have registered by
 * sending them once (automatic persisted queries, as in Apollo's clients). If only trusted
 * documents are allowed, all others are refused.
 */
export class Documents {
  readonly trusted: TrustedDocuments;
  readonly #trustedTexts: ReadonlySet<string>;
  readonly #trustedOnly: boolean;
  readonly #registered = new LRUCache<string, string>({
    maxSize: LIMITS.persistedDocumentCharacters,
    sizeCalculation: (text) => text.length + 1,
  });

  constructor(trusted: TrustedDocuments, rules: { readonly trustedOnly: boolean }) {
    this.trusted = trusted;
    this.#trustedTexts = new Set(trusted.values());
    this.#trustedOnly = rules.trustedOnly;
  }

  /** Returns the document's text; null: none is named. Errors: unknown, wrong hash, not trusted. */
  textOf(params: DocumentParams): string | null {
    const hash = hashOf(params);
    const { query } = params;
    if (hash === null) return typeof query === 'string' ? this.#allowed(query) : null;
    if (query === undefined || query === null) {
      const text = this.trusted.get(hash) ?? this.#registered.get(hash);
      if (text === undefined) throw serviceError('persistedQueryNotFound');
      return this.#allowed(text);
    }
    if (typeof query !== 'string') return null;
    if (sha256(query) !== hash) {
      throw malformed('sha256Hash', 'the SHA-256 of the query beside it, in hex', hash);
    }
    return this.#allowed(query);
  }

  /** Registers a document sent with its hash, for later requests that send only the hash. */
  register(params: DocumentParams, text: string): void {
    const hash = hashOf(params);
    if (hash !== null && sha256(text) === hash) this.#registered.set(hash, text);
  }

  #allowed(text: string): string {
    if (this.#trustedOnly && !this.#trustedTexts.has(text)) throw serviceError('notTrusted');
    return text;
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function hashOf({ documentId, extensions }: DocumentParams): string | null {
  if (documentId !== undefined && documentId !== null) {
    if (typeof documentId === 'string') return documentId.replace(/^sha256:/, '');
    throw malformed('documentId', 'the hash of a document', documentId);
  }
  const persisted = isObject(extensions) ? extensions['persistedQuery'] : undefined;
  if (persisted === undefined || persisted === null) return null;
  const { version, sha256Hash } = isObject(persisted) ? persisted : {};
  if (version === 1 && typeof sha256Hash === 'string') return sha256Hash.toLowerCase();
  throw malformed('persistedQuery', '{"version": 1, "sha256Hash": "…"}', JSON.stringify(persisted));
}

/**
 * Creates caches of parsed documents by their text, and thereby of their validation results. Yoga's
 * own cache is limited by count: a thousand documents of the maximum size, which anybody could
 * send, used up all memory.
 */
export const parsedDocuments = () => ({
  documentCache: new LRUCache<string, DocumentNode>({
    maxSize: LIMITS.parsedDocumentCharacters,
    sizeCalculation: (_, text) => text.length + 1,
  }),
  // Syntax errors are not cached: finding them again is fast enough.
  errorCache: { get: () => undefined, set: () => undefined },
});

/** A file is not a valid file of trusted documents; the message says what is wrong with it. */
export class DocumentsError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'DocumentsError';
  }
}

const DocumentsFile = z.record(z.string().min(1), z.string().min(1));

/**
 * Reads trusted documents from a file as client tools write it: `{"<hash>": "<document>", …}`.
 * Errors (`DocumentsError`): the file cannot be read, has another form, or contains a document that
 * is not valid in this schema.
 */
export async function readDocuments(path: string): Promise<TrustedDocuments> {
  const documents = parseFile(path, await readText(path));
  for (const [hash, text] of documents) {
    const wrong = faultOf(text);
    if (wrong) {
      throw new DocumentsError(`${path}: the document ${hash} cannot be answered: ${wrong}`);
    }
  }
  return documents;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const reason = reasonOf(cause);
    throw new DocumentsError(`cannot read ${path}: ${reason}`, { cause });
  }
}

function parseFile(path: string, text: string): Map<string, string> {
  const must = 'must be a JSON object of documents by their hash';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new DocumentsError(`${path} ${must}; it is not JSON`, { cause });
  }
  const { success, data } = DocumentsFile.safeParse(value);
  if (!success) throw new DocumentsError(`${path} ${must}: {"<hash>": "<document>", …}`);
  const entries = Object.entries(data);
  if (entries.length > LIMITS.trustedDocuments) {
    throw new DocumentsError(`${path} must have at most ${LIMITS.trustedDocuments} documents`);
  }
  return new Map(entries.map(([hash, document]) => [hash.replace(/^sha256:/, ''), document]));
}

function faultOf(text: string): string | null {
  try {
    return validate(schema, parse(text))[0]?.message ?? null;
  } catch (error) {
    return reasonOf(error);
  }
}
