import { parse } from 'lossless-json';

/** An integer in an answer: a bigint where a number would round it. */
export type Integer = number | bigint;

export type TimeInterval = { from: number; to: number };

export type ErrorBody = { status: 'ERROR'; message: string };

export type PercentileBody = { rank: number; value: Integer };

export type TopperKeyBody = {
  key: string;
  readable?: string;
  label?: string;
  metric: Integer;
  description?: string;
  attributes?: { attr_name: string; attr_value: string }[];
  percentiles?: PercentileBody[];
};

export type TopperBody = {
  counter_group: string;
  meter: number;
  sysgrouptotal: Integer;
  keys: TopperKeyBody[];
};

export type GroupBody = {
  guid: string;
  name: string;
  bucket_size: number;
  topper_bucket_size: number;
  time_interval?: TimeInterval;
  meters?: Record<string, unknown>[];
  crosskey?: Record<string, string>;
};

export type GroupsBody = { group_details: GroupBody[] };

export type SliceBody = {
  time_interval: TimeInterval;
  name: string;
  status: string;
  disk_size?: Integer;
  path?: string;
  available: boolean;
  tags: string[];
  id: number;
};

export type SlicesBody = {
  context_name: string;
  ha_slave_mode: boolean;
  total_window: TimeInterval | null;
  slices: SliceBody[];
  pools: Record<string, unknown>[];
};

/** Parses the JSON of an answer: integers beyond 2^53 become bigints, the others numbers. */
export const parseExactly = (text: string): unknown => parse(text, undefined, exactNumber);

function exactNumber(text: string): Integer {
  const number = Number(text);
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? BigInt(text) : number;
}
