import type { GraphQLError, GraphQLResolveInfo } from 'graphql';

export type Path = GraphQLResolveInfo['path'];

export const addPath = (prev: Path | undefined, key: string | number, typename?: string): Path => ({
  prev,
  key,
  typename,
});

/**
 * The errors of one run. What lies below a place that is null already because of an error adds
 * none: it may end sooner or later than the answer does. Places are told apart as objects.
 */
export class CollectedErrors {
  readonly errors: GraphQLError[] = [];
  readonly #places = new Set<Path | undefined>();

  add(error: GraphQLError, path: Path | undefined): void {
    for (let place = path; place !== undefined; place = place.prev) {
      if (this.#places.has(place)) return;
    }
    if (this.#places.has(undefined)) return;
    this.#places.add(path);
    this.errors.push(error);
  }
}
