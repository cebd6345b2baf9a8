import type { Assets } from './assets.ts';

/** In the explorer's place where it is for signed-in users only; names nothing of the schema. */
export const renderSignInPage = (assets: Assets, folder: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>countergraph explorer</title>
<link rel="icon" type="image/svg+xml" href="${folder}/${assets.icon.fileName}">
<link rel="stylesheet" href="${folder}/${assets.signInStyle.fileName}">
<script type="module" src="${folder}/${assets.signInScript.fileName}"></script>
</head>
<body>
<noscript>The explorer needs JavaScript.</noscript>
<form>
<h1>countergraph explorer</h1>
<label>User <input name="username" autocomplete="username" required autofocus></label>
<label>Token <input name="token" type="password" autocomplete="current-password" required></label>
<button>Sign in</button>
<output></output>
</form>
</body>
</html>
`;
