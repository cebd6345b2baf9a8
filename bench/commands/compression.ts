import { writeFile } from 'node:fs/promises';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { measureCompression } from '../compression/measure-compression.ts';
import { settings } from '../load/databases.ts';
import { openOwnPostgres } from '../load/own-postgres.ts';
import { rankingsOptions } from '../options/data-options.ts';
import { casesOf } from '../questions/cases.ts';
import { describeMachine, renderMachine } from '../reports/machine.ts';
import { textTable } from '../reports/text-table.ts';
import { loadProduct } from '../versions/load-product.ts';

const options = rankingsOptions('compression', process.argv.slice(2));
await withCleanup(compareEncodings);

/** Compares the CPU of answers as they are with that of compressed ones, in one run. */
async function compareEncodings(cleanup: Cleanup): Promise<void> {
  const { shape, product, json, quick } = options;
  // Repeated answers are remembered, as they are in service.
  process.env['COUNTERGRAPH_RESPONSE_CACHE_MB'] = '32';
  const postgres = await openOwnPostgres(cleanup, settings());
  const { service } = await loadProduct(
    postgres,
    { name: 'product', product, shape, probes: 1 },
    cleanup,
  );
  const machine = await describeMachine(postgres.url, null);
  const [first] = casesOf(shape);
  if (!first) throw new Error('there is no window');
  const cases = await measureCompression(service, first.question, quick);
  const rows = cases.map(({ size, isNew, encoding, bytes, cpuMs }) => {
    const plain = cases.find(
      (each) => each.size === size && each.isNew === isNew && each.encoding === 'identity',
    );
    return [
      `${size}, ${isNew ? 'new' : 'remembered'}: ${encoding}`,
      String(bytes),
      cpuMs.toFixed(2),
      (cpuMs / (plain?.cpuMs ?? Number.NaN)).toFixed(2),
    ];
  });
  const table = textTable(['answer', 'bytes', 'CPU in ms', 'x identity'], rows);
  console.log(`${renderMachine(machine)}\n\n${table}`);
  if (json) await writeFile(json, `${JSON.stringify({ machine, shape, cases }, null, 2)}\n`);
}
