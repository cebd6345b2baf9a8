import type { BenchProtocol } from '../collect/datagrams.ts';
import { parse, refuse, showHelp, wholeNumber } from './parse-options.ts';

export type CollectOptions = {
  readonly protocol: BenchProtocol;
  /** Flows a second, of one run after the other. */
  readonly rates: readonly number[];
  readonly seconds: number;
};

const PROTOCOLS: readonly BenchProtocol[] = ['netflow5', 'netflow9', 'ipfix'];

export function collectOptions(args: readonly string[]): CollectOptions {
  const values = parse(args, {
    protocol: { type: 'string', default: 'netflow9' },
    rates: { type: 'string', default: '30000,60000' },
    seconds: { type: 'string', default: '60' },
    help: { type: 'boolean', default: false },
  } as const);
  if (values.help) {
    showHelp(`collect
  --protocol NAME  one of ${PROTOCOLS.join(', ')} (default netflow9)
  --rates N,…      flows a second, one run for each (default 30000,60000)
  --seconds N      how long each run sends (default 60)`);
  }
  const protocol = PROTOCOLS.find((name) => name === values.protocol);
  if (protocol === undefined) {
    return refuse(`--protocol takes one of ${PROTOCOLS.join(', ')}, got ${values.protocol}`);
  }
  return {
    protocol,
    rates: values.rates.split(',').map((rate) => wholeNumber('rates', rate)),
    seconds: wholeNumber('seconds', values.seconds),
  };
}
