/** What takes time within a request, apart from its own code. */
export type WorkKind = 'identity' | 'statement' | 'kernel';

/**
 * Told when a piece of work begins; what it returns is to be called when the work is over, with
 * what made it fail. name: one of few, for it becomes a label of metrics and the name of spans.
 */
export type WorkObserver = (kind: WorkKind, name: string) => (error?: unknown) => void;

export const unobserved: WorkObserver = () => () => {};

/** Several observers as one. */
export const joinObservers =
  (observers: readonly WorkObserver[]): WorkObserver =>
  (kind, name) => {
    const ends = observers.map((observe) => observe(kind, name));
    return (error) => {
      for (const end of ends) end(error);
    };
  };
