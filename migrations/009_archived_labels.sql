-- Up Migration

-- Labels that came from DNS answers or MaxMind files go with the last slice that has their key. Which
-- keys an archived slice has, only its file knows. So when a slice is archived, its end is noted
-- beside such labels of its keys: the latest end of all archived slices that had the key. While a
-- slice that ended by then is archived, the label stays (store/keeping/looked-up-labels.ts).
alter table key_texts add column archived_until bigint;
