import { GraphQLError } from 'graphql';
import { isChunk, joinPieces, LongText, type Piece } from '../../domain/text/long-text.ts';
import type { Progress } from '../../resolvers/operation-progress.ts';
import { addPath, type Path } from './collected-errors.ts';
import type { Completer, Failing, Run, Text } from './field-plan.ts';
import { arePieces, isPending, isPromise } from './is-promise.ts';

/** The items of a list; title: that of the field, in messages. */
type Items = Failing & { readonly title: string };

/** Completes the items of a list in order, and gives way to other requests in between. */
export function listCompleter({ title, ...failing }: Items, completeItem: Completer): Completer {
  const renderItem = itemRenderer(failing, completeItem);
  return (run, value, path) => {
    if (value === null || value === undefined) return 'null';
    if (value instanceof Error) throw value;
    if (!isIterable(value)) {
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${title}".`);
    }
    const items = value[Symbol.iterator]();
    const list = new ListText();
    let count = 0;
    const goOn = (): Text => {
      try {
        for (;;) {
          if (run.progress.isDue) {
            list.expectErrors();
            return run.progress.later(goOn);
          }
          const next = items.next();
          if (next.done) return list.end(run.progress);
          list.add(renderItem(run, next.value, addPath(path, count)));
          count += 1;
        }
      } catch (error) {
        list.expectErrors();
        throw error;
      }
    };
    return goOn();
  };
}

function itemRenderer(failing: Failing, complete: Completer) {
  return (run: Run, item: unknown, path: Path): Text => {
    try {
      run.progress.take(1);
      const text = isPromise(item)
        ? item.then((resolved) => complete(run, resolved, path))
        : complete(run, item, path);
      if (!isPending(text)) return text;
      return text.then(undefined, (error) => run.fail(failing, error, path));
    } catch (error) {
      return run.fail(failing, error, path);
    }
  };
}

/** The text of a list. What is complete becomes bytes soon, which take less memory. */
class ListText {
  readonly #parts: Text[] = [];
  #items: string[] = [];
  #characters = 0;
  /** Number of parts whose rejections are handled. */
  #handled = 0;

  add(item: Text): void {
    if (typeof item === 'string') {
      this.#items.push(item);
      this.#characters += item.length;
      if (isChunk(this.#characters)) this.#parts.push([Buffer.from(this.#taken())]);
      return;
    }
    if (this.#items.length > 0) this.#parts.push(this.#taken());
    this.#parts.push(item);
  }

  #taken(): string {
    const text = this.#items.join(',');
    this.#items = [];
    this.#characters = 0;
    return text;
  }

  end(progress: Progress): Text {
    if (this.#parts.length === 0) return `[${this.#taken()}]`;
    if (this.#items.length > 0) this.#parts.push(this.#taken());
    const parts = this.#parts;
    if (arePieces(parts)) return joinPieces(['[', joinPieces(parts, ','), ']']);
    return Promise.all(parts).then((all) => joinInTurns(all, progress));
  }

  /** Handles rejections of items that are still pending, which nobody awaits before the end. */
  expectErrors(): void {
    for (const part of this.#parts.slice(this.#handled)) {
      if (isPending(part)) part.catch(() => undefined);
    }
    this.#handled = this.#parts.length;
  }
}

/** Joins the items of a list. They may be long: encoding them takes a while. */
async function joinInTurns(items: readonly Piece[], progress: Progress): Promise<Piece> {
  const text = new LongText();
  let lead = '[';
  let characters = 0;
  for (const item of items) {
    text.add(lead);
    text.add(item);
    lead = ',';
    characters += typeof item === 'string' ? item.length : 0;
    if (characters < CHARACTERS_AT_ONCE) continue;
    characters = 0;
    await progress.later(() => undefined);
  }
  text.add(']');
  return text.end();
}

/** Encoding so many takes some milliseconds. */
const CHARACTERS_AT_ONCE = 1_000_000;

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;
