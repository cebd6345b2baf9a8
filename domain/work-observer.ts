/** Kinds of work that take time within a request, apart from its own code. */
export type WorkKind = 'identity' | 'statement' | 'kernel';

/**
 * Called when a piece of work begins. Returns a function to call when the work ends, with the error
 * if it failed. name: from a small set, because it becomes a metric label and a span name.
 */
export type WorkObserver = (kind: WorkKind, name: string) => (error?: unknown) => void;

export const unobserved: WorkObserver = () => () => {};

/** Combines several observers into one. */
export const joinObservers =
  (observers: readonly WorkObserver[]): WorkObserver =>
  (kind, name) => {
    const ends = observers.map((observe) => observe(kind, name));
    return (error) => {
      for (const end of ends) end(error);
    };
  };
