import { LIMITS } from '../../domain/limits.ts';
import type { Settings } from '../settings/settings.ts';

/** What one of several processes may use. */
export type Share = {
  readonly settings: Settings;
  /** Connections for reading to each database node. */
  readonly poolConnections: number;
};

/**
 * The share of the process with this number, from 1. All shares add up to what a single process
 * would have, except where a share would be zero: each process has at least one thread, one
 * concurrent request, and so on. Limits on time and on single requests are not divided.
 */
export function shareOf(number: number, settings: Settings): Share {
  const { processes } = settings;
  const part = (all: number, least: number): number => {
    const remainder = number <= all % processes ? 1 : 0;
    return Math.max(least, Math.floor(all / processes) + remainder);
  };
  return {
    settings: {
      ...settings,
      workers: part(settings.workers, 1),
      workerQueue: part(settings.workerQueue, Math.min(1, settings.workerQueue)),
      blockCacheBytes: part(settings.blockCacheBytes, 0),
      answerCacheBytes: part(settings.answerCacheBytes, 0),
      responseCacheBytes: part(settings.responseCacheBytes, 0),
      maxConcurrent: part(settings.maxConcurrent, 1),
      maxConnections: part(settings.maxConnections, 1),
      maxStreams: part(settings.maxStreams, Math.min(1, settings.maxStreams)),
      maxStreamsPerUser: part(settings.maxStreamsPerUser, 1),
      maxConnectionsPerAddress: part(settings.maxConnectionsPerAddress, 1),
    },
    poolConnections: part(LIMITS.poolConnections, LIMITS.poolConnectionsLeast),
  };
}
