import { examples } from '../../domain/examples.ts';

/** The demo data of the local run, to try operations with. */
type Demo = { apiKey: string } & Partial<Record<keyof typeof examples, string | null>>;

/** Scalar's global variable. Its type package depends on all of Vue. */
declare const Scalar: { createApiReference(element: string, configuration: object): unknown };

const start = async () => {
  new MutationObserver(labelEditors).observe(window.document.body, { childList: true, subtree: true });
  const [document, demo] = await Promise.all([get('/openapi.json'), get('/docs/demo.json').catch(() => undefined)]);
  Scalar.createApiReference('#page', {
    content: withoutExampleKey(demo ? withDemo(document, JSON.parse(demo) as Demo) : document),
    ...(demo && { authentication: presetKey(JSON.parse(demo) as Demo) }),
    // Everything is loaded from this address, and no data leave it.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    documentDownloadType: 'json',
    metaData: { title: 'API reference · Voice Agent Platform' },
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    operationTitleSource: 'summary',
    orderSchemaPropertiesBy: 'preserve',
  });
};

/** Labels the editors that Scalar leaves without a label or a state. */
const labelEditors = () => {
  for (const editor of window.document.querySelectorAll('[contenteditable][role]:not([aria-label])')) {
    editor.setAttribute('aria-label', editor.getAttribute('data-placeholder') || 'Value');
    if (editor.role === 'combobox') {
      editor.setAttribute('aria-expanded', 'false');
      editor.setAttribute('aria-controls', 'page');
    }
  }
};

const get = async (path: string): Promise<string> => {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
  return response.text();
};

/** Replaces the examples of the document with the data of the local run, so that each works unchanged. */
const withDemo = (document: string, demo: Demo): string =>
  Object.entries(examples).reduce(
    (text, [name, example]) =>
      text.replaceAll(JSON.stringify(example), JSON.stringify(demo[name as keyof Demo] ?? example)),
    document,
  );

/** Removes the example of the Idempotency-Key: the page would send it with every request, and the second request would be a conflict. */
const withoutExampleKey = (document: string): object => {
  const parsed = JSON.parse(document) as { components: { parameters: { IdempotencyKey: { example?: string } } } };
  delete parsed.components.parameters.IdempotencyKey.example;
  return parsed;
};

const presetKey = ({ apiKey }: Demo) => ({
  preferredSecurityScheme: 'apiKey',
  securitySchemes: { apiKey: { name: 'X-Authorization', in: 'header', value: apiKey } },
});

start().catch((error: Error) => {
  const message = window.document.createElement('p');
  message.className = 'failure';
  message.setAttribute('role', 'alert');
  message.textContent = `The reference could not be loaded. ${error.message} Reload the page to try again.`;
  window.document.querySelector('#page')?.replaceChildren(message);
});
