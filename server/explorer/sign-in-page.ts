import type { Assets } from './assets.ts';
import { htmlPage } from './html-page.ts';

/** Renders the page for callers who must sign in first; it reveals nothing about the schema. */
export const renderSignInPage = (assets: Assets, folder: string): string =>
  htmlPage({
    head: `<link rel="icon" type="image/svg+xml" href="${folder}/${assets.icon.fileName}">
<link rel="stylesheet" href="${folder}/${assets.signInStyle.fileName}">
<script type="module" src="${folder}/${assets.signInScript.fileName}"></script>`,
    body: `<form>
<h1>countergraph explorer</h1>
<label>User <input name="username" autocomplete="username" required autofocus></label>
<label>Token <input name="token" type="password" autocomplete="current-password" required></label>
<button>Sign in</button>
<output></output>
</form>`,
  });
