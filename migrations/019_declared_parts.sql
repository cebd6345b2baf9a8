-- Up Migration

-- Answers about a context contain its pools and alert rules, too. A rule is superseded before it is
-- deleted. What its evaluation writes raises no version: all answers about the context would be
-- computed again every few minutes.
create constraint trigger raise_version after insert or update or delete on pools
  deferrable initially deferred for each row execute function raise_version_of_context();
create constraint trigger raise_version after insert or update of superseded_at on alerts
  deferrable initially deferred for each row execute function raise_version_of_context();
