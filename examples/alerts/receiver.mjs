import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const { NOC_SECRET, PORT = '9100' } = process.env;
if (!NOC_SECRET) throw new Error('NOC_SECRET must hold the secret that countergraph signs with');

/** Idempotency keys of accepted events. In production, store them with the events for two days. */
const taken = new Set();

/**
 * Verifies the signature over the raw bytes: JSON that was parsed and serialized again may differ.
 */
function isSigned(body, signature = '') {
  const expected = `sha256=${createHmac('sha256', NOC_SECRET).update(body).digest('hex')}`;
  const [given, wanted] = [Buffer.from(signature), Buffer.from(expected)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function tell({ event, context, alert, key, readable, label, value, condition }) {
  const what = key === null ? 'the whole group' : (label ?? readable);
  console.log(`${context}: ${alert} ${event}: ${what}, ${value} (${condition})`);
}

const server = createServer(async (request, response) => {
  const body = await buffer(request);
  if (!isSigned(body, request.headers['x-countergraph-signature'])) {
    response.writeHead(401).end('the signature must be that of the body\n');
    return;
  }
  const key = request.headers['idempotency-key'];
  if (!taken.has(key)) {
    tell(JSON.parse(body));
    taken.add(key);
  }
  // Acknowledge only now. Without a 2xx answer within 10 s, the server sends the event again.
  response.writeHead(204).end();
});

server.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`listening on ${server.address().port}`),
);
