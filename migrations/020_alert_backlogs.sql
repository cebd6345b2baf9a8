-- Up Migration

-- What waits for each sink, in the order in which it is sent. Without the sink in front, looking for
-- what is due to one sink would read all that waits for the others.
drop index alert_deliveries_due;
create index alert_deliveries_due on alert_deliveries (sink_id, due_at, event_id, change)
  where delivered_at is null and given_up_at is null;

-- An end is due no earlier than its beginning (db/write/alerts/deliveries/update-failed.ts).
update alert_deliveries e set due_at = b.due_at
from alert_deliveries b
where (b.event_id, b.sink_id) = (e.event_id, e.sink_id)
  and b.change = 'began' and b.delivered_at is null and b.given_up_at is null
  and e.change = 'ended' and e.delivered_at is null and e.given_up_at is null
  and e.due_at < b.due_at;
