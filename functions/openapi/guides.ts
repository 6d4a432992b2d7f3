import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { formatLimit } from '../domain/format-limit.ts';
import { limits } from '../domain/limits.ts';

const root = join(import.meta.dirname, '../..');

/** The pages of the documentation by group, each with its Markdown file: the source of the page, the .md file, llms.txt and the search. */
const groups = {
  Quickstarts: {
    'what-it-does': 'functions/openapi/guides/what-it-does.md',
    'what-an-agent-is': 'functions/openapi/guides/what-an-agent-is.md',
    quickstart: 'functions/openapi/guides/quickstart.md',
    'web-application': 'functions/openapi/guides/web-application.md',
    telephony: 'functions/openapi/guides/telephony.md',
    batch: 'functions/openapi/guides/batch.md',
    operator: 'functions/openapi/guides/operator.md',
  },
  Guides: {
    authentication: 'functions/openapi/guides/authentication.md',
    'users-and-keys': 'functions/openapi/guides/users-and-keys.md',
    errors: 'functions/openapi/guides/errors.md',
    operations: 'functions/openapi/guides/operations.md',
    pagination: 'functions/openapi/guides/pagination.md',
    retries: 'functions/openapi/guides/retries.md',
    limits: 'functions/openapi/guides/limits.md',
    versions: 'functions/openapi/guides/versions.md',
    traffic: 'functions/openapi/guides/traffic.md',
    'agents-in-git': 'functions/openapi/guides/agents-in-git.md',
    knowledge: 'functions/openapi/guides/knowledge.md',
    'block-lists': 'functions/openapi/guides/block-lists.md',
    'call-outcomes': 'functions/openapi/guides/call-outcomes.md',
    'call-figures': 'functions/openapi/guides/call-figures.md',
    'calls-as-files': 'functions/openapi/guides/calls-as-files.md',
    'outbound-calls': 'functions/openapi/guides/outbound-calls.md',
    'consent-and-disclosure': 'functions/openapi/guides/consent-and-disclosure.md',
    'voice-platforms': 'functions/openapi/guides/voice-platforms.md',
    'voice-platform-setup': 'functions/openapi/guides/voice-platform-setup.md',
    'platform-signatures': 'functions/openapi/guides/platform-signatures.md',
    webhooks: 'functions/openapi/guides/webhooks.md',
    changes: 'functions/openapi/guides/changes.md',
    workflows: 'functions/openapi/guides/workflows.md',
    mcp: 'functions/openapi/guides/mcp.md',
    'personal-data': 'functions/openapi/guides/personal-data.md',
  },
  Tools: {
    console: 'functions/openapi/guides/console.md',
    'local-run': 'functions/openapi/guides/local-run.md',
    'typescript-client': 'functions/openapi/client/README.md',
    'python-client': 'functions/openapi/guides/python-client.md',
    'batch-tool': 'bin/outcomes/README.md',
    'operator-command-line': 'bin/operator/README.md',
    'operating-on-aws': 'lib/README.md',
  },
};

export type Guide = {
  slug: string;
  group: string;
  /** The path of the guide in the repository. */
  file: string;
  title: string;
  /** The first paragraph, without its links. */
  summary: string;
  /** The file with the limits that it names, and with links to other files. */
  source: string;
};

/** Returns a page with the limits that it names as `{{limits.fileBytes}}`. */
export const fillInLimits = (markdown: string): string =>
  markdown.replaceAll(/\{\{limits\.(\w+)\}\}/g, (reference, name) => {
    if (!Object.hasOwn(limits, name)) throw new Error(`There is no such limit: ${reference}.`);
    return formatLimit(name as keyof typeof limits);
  });

/** Reads the guides, in the order of the navigation. */
export const readGuides = (): Guide[] =>
  Object.entries(groups).flatMap(([group, files]) =>
    Object.entries(files).map(([slug, file]) => {
      const source = fillInLimits(readFileSync(join(root, file), 'utf8'));
      const [title = '', summary = ''] = source.split('\n\n');
      return {
        slug,
        group,
        file,
        title: title.replace(/^# /, ''),
        summary: withoutLinks(summary).replaceAll('\n', ' '),
        source,
      };
    }),
  );

const slugsByFile = new Map(
  Object.values(groups)
    .flatMap((files) => Object.entries(files))
    .map(([slug, file]) => [file, slug]),
);

/** Returns a guide's Markdown, with links under /docs to pages with `extension`. */
export const withLinks = ({ file, source }: Guide, extension: '' | '.md'): string =>
  source.replaceAll(
    /\[([^\]]+)\]\((?![a-z]+:|\/|#)([^)#]+)(#[^)]+)?\)/g,
    (_, text: string, path: string, anchor = '') => {
      const linked = join(file, '..', path);
      if (isServed(linked)) return `[${text}](/docs/${basename(linked)})`;
      const slug = slugsByFile.get(linked);
      // A link to a file that is not a page becomes its name.
      return slug ? `[${text}](/docs/${slug}${extension}${anchor})` : `\`${linked}\``;
    },
  );

/** Pages show pictures, and offer JSON files for download. */
const isServed = (path: string) => /\.(svg|png|json)$/.test(path);

/** Returns the pictures in a guide, and the files that it offers. */
export const listServedFiles = ({ file, source }: Guide): string[] =>
  [...source.matchAll(/\[[^\]]+\]\((?![a-z]+:|\/|#)([^)#]+)\)/g)]
    .map(([, path = '']) => join(file, '..', path))
    .filter(isServed);

export const withoutLinks = (markdown: string) => markdown.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');

/** Returns the id of a heading on its page. */
export const headingId = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
