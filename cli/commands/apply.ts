import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { withConnection } from '../../db/connection/with-connection.ts';
import { hasCode } from '../../domain/has-code.ts';
import { printable } from '../../domain/text/printable.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { type ApplyReport, applyDeclaration } from '../../ingest/declaration/apply.ts';
import { DeclarationError } from '../../ingest/declaration/declaration.ts';
import { withDatabase } from '../database/run-with-database.ts';
import { UsageError } from '../usage-error.ts';

export function registerApply(program: Command): void {
  program
    .command('apply')
    .description(
      'declare a context: nodes, pools, probes, counter groups, meters, alerts and whom to notify',
    )
    .argument('<file>', 'the declaration, a JSON file; - is standard input')
    .option('--json', 'print the result as JSON')
    .action(runApply);
}

async function runApply(file: string, { json }: { json?: true }): Promise<void> {
  const declaration = await readDeclaration(file);
  const report = await withDatabase(({ url: databaseUrl, signal }) =>
    withConnection({ databaseUrl, signal }, 'apply', (connection) =>
      applyDeclaration(connection, declaration, () =>
        console.error('waiting for an import into the context to end'),
      ),
    ),
  ).catch((error: unknown) => {
    // An invalid declaration is a usage error: exit status 2.
    throw error instanceof DeclarationError ? new UsageError(`${file}: ${error.message}`) : error;
  });
  console.log(json ? JSON.stringify(report) : sentence(report));
}

async function readDeclaration(file: string): Promise<unknown> {
  const content = await readText(file);
  try {
    // Some editors start a file with a byte order mark.
    return JSON.parse(content.replace(/^\ufeff/, ''));
  } catch (error) {
    // The reason quotes the file, which may contain anything.
    throw new UsageError(`${file} must be JSON: ${printable(reasonOf(error))}`);
  }
}

async function readText(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      hasCode(error, 'EISDIR')
        ? `${file} is a directory: name the JSON file in it`
        : `cannot read ${shellWord(file)}: ${reasonOf(error)}`,
    );
  }
}

function sentence({ context, counts }: ApplyReport): string {
  const { created, changed, unchanged, removed } = counts;
  const gone = removed === undefined ? '' : `, ${removed} removed`;
  return `Context ${context}: ${created} created, ${changed} changed, ${unchanged} unchanged${gone}.`;
}
