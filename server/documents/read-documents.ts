import { readFile } from 'node:fs/promises';
import { parse, validate } from 'graphql';
import { z } from 'zod';
import { LIMITS } from '../../domain/limits.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';
import { schema } from '../../schema/schema.ts';
import type { TrustedDocuments } from './documents.ts';

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
