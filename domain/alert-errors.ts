/** Errors of changes of alerts, in the table of domain/errors.ts. */
export const ALERT_ERRORS = {
  invalidAlert: {
    status: 422,
    code: 'BAD_USER_INPUT',
    message: 'Invalid alert - <what is wrong>',
    when: 'a rule of an alert that is saved or tried has mistakes: the first ten are named',
  },
  noSuchAlert: {
    status: 422,
    code: 'NOT_FOUND',
    message: 'Invalid alert name - <alert>',
    when: 'a mutation names an alert that the context does not have, or no longer has',
  },
  refusedAlert: {
    status: 422,
    code: 'BAD_USER_INPUT',
    message: 'The alert cannot be changed - <what is wrong>',
    when: 'another alert has the new name, another editor has changed it since it was read, or the context has too many',
  },
  partOfAlerts: {
    status: 403,
    code: 'FORBIDDEN',
    message:
      'User <username> may see only a part of context <context>, and needs a grant of all of it to try, save, remove or silence its alerts',
    when: 'an editor whose grant for the context is limited tries, saves, removes or silences an alert: rules read all of a context',
  },
} as const;
