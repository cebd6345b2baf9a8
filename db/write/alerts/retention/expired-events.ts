/**
 * The condition of expired events `e` of the context $1: ended by $2, with no deliveries waiting.
 * An event starts before it ends, and stating that lets PostgreSQL use the index on the start.
 */
export const EXPIRED_EVENTS = `
  e.context_id = $1 and e.started_at <= $2 and e.ended_at <= $2
  and not exists (select from alert_deliveries d where d.event_id = e.event_id
    and d.delivered_at is null and d.given_up_at is null)`;
