import type { GraphQLError, GraphQLResolveInfo } from 'graphql';

export type Path = GraphQLResolveInfo['path'];

export const addPath = (prev: Path | undefined, key: string | number, typename?: string): Path => ({
  prev,
  key,
  typename,
});

/**
 * The errors of one run. Fields below a path that is already null because of an error add none,
 * because they may end before or after the answer does. Paths are compared by object identity.
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
