import { createServer, type Server } from 'node:http';
import proxyAddress from 'proxy-addr';
import { noteAccepted } from '../engine/snapshot/event-loop-scheduler.ts';
import { RefusalLog, registerAdmission } from './admission/admission.ts';
import { AdmissionControl } from './admission/admission-control.ts';
import { hostFault, requestIdOf, warnOfUndeclaredProxy } from './connections/client-headers.ts';
import {
  connectionOptions,
  guardConnections,
  limitPerAddress,
  watchLastResponses,
} from './connections/connection-limits.ts';
import type { Drain } from './connections/drain.ts';
import { heedExpectations } from './connections/expectation.ts';
import { watchQueuedResponses } from './connections/queued-responses.ts';
import { UnreadAnswers } from './connections/unread-answers.ts';
import { openExchange } from './http/http-exchange.ts';
import { addressLog, observeRequest } from './http/observe-request.ts';
import { refuseAtOnce } from './http/refuse-at-once.ts';
import { setSecurityHeaders } from './http/security-headers.ts';
import { pageSessionReader } from './http/session-cookie.ts';
import { createRouter, type Pages } from './routes/create-router.ts';
import { malformed, respond } from './routes/respond.ts';
import type { Service } from './service/service.ts';
import { Subscriptions } from './subscriptions/subscriptions.ts';

/** Creates the HTTP server. Each request passes the numbered stages below, in order. */
export function createHttpServer(
  service: Service,
  { pages, drain }: { pages: Pages; drain: Drain },
): Server {
  const { settings, log } = service;
  const control = createAdmissionControl(service);
  const live = new Subscriptions(service, control.admission);
  drain.begins(() => live.end());
  const routeOf = createRouter(service, { pages, live });
  const isRefusedAtOnce = refuseAtOnce(service);
  const unread = new UnreadAnswers(settings);
  const addressOf = addressLog(settings);
  const isTrusted = proxyAddress.compile([...settings.trustProxy]);
  const warnOfProxy = warnOfUndeclaredProxy(log, isTrusted);
  const sessionOf = pageSessionReader(settings, isTrusted);
  const slowCallerMs = settings.slowCallerSeconds * 1000;

  const server = createServer(connectionOptions(settings), (request, response) => {
    // 1. Identify the client's address and the request's id, also behind a trusted proxy.
    const caller = proxyAddress(request, isTrusted);
    const requestId = requestIdOf(request, isTrusted);
    // Checked before the exchange is opened, which sets a host if there is none.
    const fault = hostFault(request);
    warnOfProxy(request);

    // 2. Refuse requests beyond capacity cheaply, before any objects are built for them.
    const throttle = control.admit(caller);
    if (!fault && isRefusedAtOnce({ request, response, requestId, throttle })) return;

    // 3. Open the exchange: the request and its response as all routes see them.
    const terms = {
      requestId,
      from: caller,
      log,
      throttle,
      unread: unread.open(throttle.caller),
      slowCallerMs,
      // The host counts for it, which the exchange replaces.
      session: sessionOf(request),
    };
    const exchange = openExchange(request, response, terms);
    response.setHeader('x-request-id', requestId);
    setSecurityHeaders(response);

    // 4. Find the route: REST, dashboard, explorer, GraphQL, MCP, health and metrics.
    const found = routeOf(exchange);
    const route = fault ? malformed(found.name, fault) : found;

    // 5. Measure, log and trace while the route answers: permit, log-in, work, response, errors.
    const answered = observeRequest(
      service,
      exchange,
      { route: route.name, caller, addressOf },
      () => respond(service, exchange, route),
    );

    // 6. Register the request with the drain: a server that is shutting down waits for it.
    drain.hold(answered);
  });
  watchConnections(server, service, { control, drain, isTrusted });
  return server;
}

/** Opens admission control, with its metrics and its line in the log. */
function createAdmissionControl(service: Service): AdmissionControl {
  const { settings, metrics, log, siblings, failedSignIns } = service;
  const control = new AdmissionControl(settings, siblings?.loginFailures);
  const countRefusal = registerAdmission(metrics.registry, control.admission);
  const refusals = new RefusalLog(log);
  control.onRefusal = (why) => {
    countRefusal(why);
    refusals.refused();
  };
  control.onFailedSignIn = (username, address) => failedSignIns.note(username, address);
  control.onClose = () => refusals.end();
  return control;
}

type Watching = {
  readonly control: AdmissionControl;
  readonly drain: Drain;
  readonly isTrusted: (address: string, index: number) => boolean;
};

/** Applies the rules that hold for connections rather than for single requests. */
function watchConnections(
  server: Server,
  { settings, metrics, log }: Service,
  { control, drain, isTrusted }: Watching,
): void {
  server.on('connection', noteAccepted);
  heedExpectations(server);
  watchQueuedResponses(server);
  const lastResponses = watchLastResponses(server);
  guardConnections(server, settings, { log, lastResponses });
  limitPerAddress(server, metrics.registry, {
    most: settings.maxConnectionsPerAddress,
    isProxy: (address) => isTrusted(address, 0),
    lastResponses,
  });
  drain.watch(server);
  server.once('close', () => control.onClose());
}
