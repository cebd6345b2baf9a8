/** Renders a page of the explorer; `head` holds the links to the files it loads. */
export const htmlPage = ({ head, body }: { head: string; body: string }): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>countergraph explorer</title>
${head}
</head>
<body>
<noscript>The explorer needs JavaScript.</noscript>
${body}
</body>
</html>
`;
