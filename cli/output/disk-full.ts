/** What to do if the database's disk is full: PostgreSQL itself needs a little room to work. */
export const DISK_FULL_REMEDY =
  'free some 32 MB on the disk of the database, and then drop old slices with ' +
  '`countergraph slices drop`';
