import { LIMITS } from '../../domain/limits.ts';

/** What there was in `ms` milliseconds: requests that came, and that got done. */
type Seen = { readonly ms: number; readonly asked: number; readonly done: number };

/** Over which what gets done is averaged: what is usual is not a matter of tenths of a second … */
const USUAL_MS = 2_000;

/** … and in which two thirds of the most of it are forgotten. */
const KNOWN_MS = 60_000;

/**
 * Whether far more is asked than a server was seen to get done. That tells a crowd from a server
 * that stands still for a moment: it is asked for what it always is.
 */
export class Surge {
  /** Requests that get done in a millisecond: lately, and the most of it in the last minute. */
  #usual = 0;
  #known = 0;
  #ms = 0;

  note({ ms, asked, done }: Seen): void {
    this.#usual += Math.min(1, ms / USUAL_MS) * (done / ms - this.#usual);
    this.#known = Math.max(this.#usual, this.#known * Math.exp(-ms / KNOWN_MS));
    const known = Math.max(this.#known, LIMITS.crowdUsualPerSecond / 1000);
    this.#ms = asked / ms > LIMITS.crowdSurge * known ? this.#ms + ms : 0;
  }

  /** It has gone on for so long that it is no burst. */
  get isLasting(): boolean {
    return this.#ms > LIMITS.crowdSurgeMs;
  }
}
