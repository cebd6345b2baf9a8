import { ask } from './client.js';
import { TopHostsDocument } from './operations.js';

const url = process.env['COUNTERGRAPH_URL'] ?? 'http://127.0.0.1:4000';
const username = process.env['COUNTERGRAPH_USERNAME'] ?? 'demo';
const token = process.env['COUNTERGRAPH_TOKEN'] ?? 'demo';
const context = process.argv[2] ?? 'demo';

/** Formats a sum, which can be larger than a number holds exactly. */
const shown = (value: number | string): string => BigInt(value).toLocaleString('en-US');

try {
  await showTopHosts();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function showTopHosts(): Promise<void> {
  const variables = { context, seconds: 3600, count: 5 };
  const { context: found } = await ask(url, { username, token }, TopHostsDocument, variables);
  // A field is null if it does not exist, access was not granted, or it failed.
  const topper = found?.counterGroup?.topper;
  if (!topper)
    throw new Error(`there is no context ${context} with hosts that ${username} may see`);

  for (const { rank, label, readable, metric, share } of topper.keys) {
    const part = share === null ? '' : `${(100 * share).toFixed(1)} %`;
    console.log([rank, label, readable, `${shown(metric)} ${topper.meter.units}`, part].join('\t'));
  }
  console.log(['', 'others', '', `${shown(topper.others)} ${topper.meter.units}`].join('\t'));
  console.log(['', 'total', '', `${shown(topper.total)} ${topper.meter.units}`].join('\t'));
}
