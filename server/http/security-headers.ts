import type { ServerResponse } from 'node:http';

/**
 * Headers of every response, unless its route sets others. A response is for one user and one
 * moment, so nothing on the way may store it. Browsers must take its content type as it is, and no
 * page of another site may embed it (which does not affect what CORS allows).
 */
export const SECURITY_HEADERS: readonly (readonly [string, string])[] = [
  ['cache-control', 'no-store'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'no-referrer'],
  ['x-content-type-options', 'nosniff'],
];

export function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
}

/** Disables features that no page of ours needs. Copying to the clipboard needs no permission. */
export const PERMISSIONS_POLICY = [
  'camera',
  'display-capture',
  'geolocation',
  'microphone',
  'payment',
  'serial',
  'usb',
]
  .map((feature) => `${feature}=()`)
  .join(', ');
