import type { Upload } from '../../rest/endpoints/upload.ts';

/** What a process is told to import. Sent as a message, since the database URL has a password. */
export type ImportOrder = {
  readonly databaseUrl: string;
  /** The zone of local times unless the upload says otherwise. */
  readonly timeZone: string;
  readonly upload: Upload;
  /** Who uploads it, and from which address; mayCreate: it creates the context. */
  readonly by: { readonly user: string; readonly from: string; readonly mayCreate: boolean };
};

/** From the server to a process that imports, which reads the file from its standard input. */
export type ToImporter =
  | { readonly kind: 'begin'; readonly order: ImportOrder }
  /** The end of its input is the end of the file: a server that dies ends the input, too. */
  | { readonly kind: 'complete' };

/** From such a process to the server. */
export type FromImporter =
  /** The result as `import --json` prints it. isTaken: false if the file was skipped. */
  | { readonly kind: 'imported'; readonly report: object; readonly isTaken: boolean }
  | {
      readonly kind: 'refused';
      readonly why: 'notImported' | 'alreadyImported';
      readonly message: string;
    }
  /** outcome: what became of the file; reason: for the log. */
  | { readonly kind: 'failed'; readonly outcome: string; readonly reason: string };
