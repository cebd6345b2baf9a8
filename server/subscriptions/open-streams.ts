import { serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Settings } from '../settings/settings.ts';
import type { Stream } from './event-stream.ts';

type StreamLimits = Pick<Settings, 'maxStreams' | 'maxStreamsPerUser'>;

/** What open streams use: their number, and the characters of their questions. */
type Taken = { readonly streams: number; readonly characters: number };

const NOTHING: Taken = { streams: 0, characters: 0 };

/**
 * Counts the open streams, in total and by user. The question of a stream stays in memory while the
 * stream is open: the characters of its document and variables count for the user who sent them,
 * even if others ask the same.
 */
export class OpenStreams {
  readonly #limits: StreamLimits;
  readonly #characters = new Map<Stream, number>();
  readonly #ofUsers = new Map<string, Taken>();

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#characters.size;
  }

  /** Throws if another stream would exceed a limit. Errors: `busy`, `tooManyStreams`, `limit`. */
  requireRoom(username: string, characters: number): void {
    const { maxStreams, maxStreamsPerUser } = this.#limits;
    if (this.size >= maxStreams) throw serviceError('busy');
    const taken = this.#ofUsers.get(username) ?? NOTHING;
    if (taken.streams >= maxStreamsPerUser) {
      throw serviceError('tooManyStreams', { username, limit: maxStreamsPerUser });
    }
    const most = LIMITS.streamCharactersPerUser;
    const together = taken.characters + characters;
    if (together <= most) return;
    const what = 'Characters in the documents and variables of the open subscriptions of a user';
    throw serviceError('limit', { what, limit: most, 'what was given': together });
  }

  add(stream: Stream, characters: number): void {
    this.#characters.set(stream, characters);
    this.#count(stream, 1, characters);
  }

  delete(stream: Stream): void {
    const characters = this.#characters.get(stream);
    if (characters === undefined) return;
    this.#characters.delete(stream);
    this.#count(stream, -1, -characters);
  }

  #count({ subscriber: { username } }: Stream, streams: 1 | -1, characters: number): void {
    const taken = this.#ofUsers.get(username) ?? NOTHING;
    const now: Taken = {
      streams: taken.streams + streams,
      characters: taken.characters + characters,
    };
    if (now.streams === 0) this.#ofUsers.delete(username);
    else this.#ofUsers.set(username, now);
  }
}
