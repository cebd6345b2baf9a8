import { resolve } from 'node:path';
import { parse, showHelp, wholeNumber } from './parse-options.ts';

export type ServingOptions = {
  /** Measure only cases whose name contains this. Empty: all. */
  readonly only: string;
  readonly seconds: number;
  readonly rounds: number;
  readonly json: string | null;
  /** Compare ours with this built checkout of another version. null: with other servers. */
  readonly beside: string | null;
  /** Compare ours with these numbers of processes. null: compare ours with other servers. */
  readonly processes: readonly number[] | null;
};

export function servingOptions(args: readonly string[]): ServingOptions {
  const values = parse(args, {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    processes: { type: 'string' },
    beside: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const);
  if (values.help) {
    showHelp(`serving
  --only TEXT    only cases with this text in their name, such as 'GraphQL topper'
  --seconds N    how long each server is asked in a round (default 5)
  --rounds N     how many rounds there are (default 3)
  --processes N,M  compare ours with N processes and with M, instead of with other servers
  --beside DIR   compare ours with a built checkout of another version
  --json FILE    write all figures there`);
  }
  return {
    beside: values.beside === undefined ? null : resolve(values.beside),
    processes: values.processes?.split(',').map((each) => wholeNumber('processes', each)) ?? null,
    only: values.only,
    seconds: wholeNumber('seconds', values.seconds),
    rounds: wholeNumber('rounds', values.rounds),
    json: values.json ?? null,
  };
}

export type KilledOptions = { readonly processes: number; readonly kills: number };

export function killedOptions(args: readonly string[]): KilledOptions {
  const values = parse(args, {
    processes: { type: 'string', default: '2' },
    kills: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  } as const);
  if (values.help) {
    showHelp(`killed
  --processes N  how many processes serve (default 2)
  --kills N      how many of them are killed, one after the other (default 5)`);
  }
  return {
    processes: wholeNumber('processes', values.processes),
    kills: wholeNumber('kills', values.kills),
  };
}

export type SoakOptions = { readonly minutes: number; readonly json: string | null };

export function soakOptions(args: readonly string[]): SoakOptions {
  const values = parse(args, {
    minutes: { type: 'string', default: '10' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const);
  if (values.help) {
    showHelp(`soak
  --minutes N    how long to ask at 80 % of what is possible (default 10)
  --json FILE    write all figures there`);
  }
  return { minutes: wholeNumber('minutes', values.minutes), json: values.json ?? null };
}

export type StreamsOptions = {
  readonly streams: number;
  readonly minutes: number;
  /** Seconds from one commit to the next. */
  readonly every: number;
  readonly json: string | null;
};

export function streamsOptions(args: readonly string[]): StreamsOptions {
  const values = parse(args, {
    streams: { type: 'string', default: '2000' },
    minutes: { type: 'string', default: '5' },
    every: { type: 'string', default: '3' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const);
  if (values.help) {
    showHelp(`streams
  --streams N    how many streams are open (default 2000; 50 questions in all)
  --minutes N    how long (default 5)
  --every N      seconds from one commit to the next (default 3)
  --json FILE    write all figures there`);
  }
  return {
    streams: wholeNumber('streams', values.streams),
    minutes: wholeNumber('minutes', values.minutes),
    every: wholeNumber('every', values.every),
    json: values.json ?? null,
  };
}
