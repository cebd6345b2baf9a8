/** The rows of the table of errors (errors.ts) that only uploads can get. */
export const UPLOAD_ERRORS = {
  uploadsOff: {
    status: 403,
    code: 'FORBIDDEN',
    message:
      'Uploads are switched off on this server, COUNTERGRAPH_UPLOAD_MB says how large a file may be',
    when: 'a file is uploaded, and `COUNTERGRAPH_UPLOAD_MB` is 0',
  },
  partOfContext: {
    status: 403,
    code: 'FORBIDDEN',
    message:
      'User <username> may see only a part of context <context>, and needs a grant of all of it to upload',
    when: 'a file is uploaded by an editor whose grant for the context is limited to networks, probes or groups',
  },
  onlyAdminCreates: {
    status: 403,
    code: 'FORBIDDEN',
    message:
      'Context <context> does not exist, and only the upload of an administrator creates it: name an existing one, or ask an administrator',
    when: 'a file is uploaded into a context that does not exist, by a user who is not an administrator',
  },
  fileAsForm: {
    status: 415,
    code: 'BAD_USER_INPUT',
    message:
      'The body must be the file itself, not a form that contains it (multipart/form-data): send it as `curl --data-binary @FILE` does',
    when: 'a file is uploaded as a field of a form',
  },
  uploadTooLarge: {
    status: 413,
    code: 'LIMIT',
    message:
      'The file must be at most <limit> MB as it is sent, compress or split it, or raise COUNTERGRAPH_UPLOAD_MB',
    when: 'an uploaded file is larger',
  },
  uploadTooSlow: {
    status: 408,
    code: 'TIMEOUT',
    message: 'At least <bytes> bytes of the file must arrive in each <seconds> seconds',
    when: 'an uploaded file arrives more slowly, or not at all; nothing of it is imported',
  },
  uploadInProgress: {
    status: 503,
    code: 'BUSY',
    message: 'Another file is being uploaded, try again when it is imported',
    when: 'this process of the server is importing another upload; `Retry-After` says when to try again',
  },
  notImported: {
    status: 400,
    code: 'BAD_USER_INPUT',
    message: 'Nothing was imported - <what the import says>',
    when: 'the import of an uploaded file refuses it, for example because of a line that cannot be read',
  },
  alreadyImported: {
    status: 409,
    code: 'BAD_USER_INPUT',
    message: 'Nothing was imported again - <what the import says>',
    when: 'the content of an uploaded file, or its beginning, is in the context already',
  },
  importFailed: {
    status: 500,
    code: 'BACKEND',
    message: 'The import failed - <what became of the file>',
    when: 'the database, or the process that imports an uploaded file, failed meanwhile; the log has the details',
  },
} as const;
