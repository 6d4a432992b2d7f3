// Part of `npm run check`: texts are in US spelling, names spell units out (`timeoutMilliseconds`, not `timeoutMs`), and
// no function's name ends in a preposition (`buildMessage`, not `messageOf`).
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** British spellings, each with the American one. */
const spellings = [
  [/(?:behavi|col|fav|fl?av|harb|hon|hum|lab|neighb|rum|vap)our/i, 'or'],
  [/\b(?:cent|fib|lit|theat|calib)re(?:s|d)?\b/i, 'er'],
  [
    /(?:anonym|author|canonical|capital|categor|custom|emphas|final|general|initial|local|maxim|memor|minim|normal|optim|organ|parallel|prior?it|random|recogn|sanit|serial|special|stabil|standard|summar|synchron|token|util|visual)is(?:e[ds]?|ers?|ing|ations?)\b/i,
    'ize',
  ],
  [/(?:anal|catal|paral)ys(?:e[ds]?|ing)\b/i, 'yze'],
  [/(?:cancel|channel|dial|fuel|initial|label|level|marshal|model|signal|total|travel|tunnel)l(?:ed|ing)\b/i, 'one l'],
  [/(?:defen|licen|offen|preten)ce/i, 'se'],
  [/(?:anal|catal|dial)ogue/i, 'og'],
  [/(?:acknowledg|judg)ement/i, 'gment'],
  [/\b(?:enrol|fulfil|instil)s?\b/i, 'll'],
  [/\b(?:back|down|to|up)wards\b/i, 'ward'],
  [/\b(?:burnt|dreamt|learnt|spelt)\b/i, 'ed'],
  [/\b(?:amongst|whilst)\b/i, 'among, while'],
  [/artefact/i, 'artifact'],
  [/\bgrey/i, 'gray'],
  [/\bageing\b/i, 'aging'],
  [/\bprogrammes?\b/i, 'program'],
  [/practis(?:e[ds]?|ing)\b/i, 'practice'],
  [/sceptic/i, 'skeptic'],
];
const shortUnit = /\b[a-z]\w*[a-z](?:Ms|Secs|Mins|Kb|Mb|Gb)\b/g;
/** Names that others gave: Node, Bedrock, the AI SDK, the Model Context Protocol. */
const givenNames = new Set([
  ...['mtimeMs', 'maxOldGenerationSizeMb', 'maxYoungGenerationSizeMb', 'latencyMs', 'initialDelayInMs'],
  ...['chunkDelayInMs', 'durationMs', 'ttlMs', 'windowMs'],
]);
/** Functions, methods, members and parameters whose ending hides the verb: `messageOf`, `textAt`. Components are nouns. */
const hidesVerb = /^#?[a-z].*[a-z\d](?:At|By|For|From|In|Of|To|With)$/;
/** Verbs of names that may end so: `waitFor`, `sendTo`. */
const verbs = 'apply|compile|crawl|go|goes|is|make|open|read|redeem|register|respond|send|set|tab|use|wait';
const startsWithVerb = new RegExp(`^#?(?:${verbs})[A-Z]`);
/** Functions of before this rule, and those that the published client exports. The list only shrinks. */
const knownPrepositions = new Set(readFileSync('.ci/prepositions.txt', 'utf8').split('\n').filter(Boolean));
const unusedPrepositions = new Set(knownPrepositions);
/** Words of others, in texts that quote them, and the name of a benchmark. */
const quoted = /'Cancelled'|CANCELLED|analyse as|(?<=name: '|bench -- )neighbours/g;
/** Texts of others, samples in other languages, and this list. */
const excluded = /^(?:package-lock\.json|LICENSE|\.ci\/spelling\.mjs|test\/support\/samples\/)/;

const faults = [];
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
  maxBuffer: 10_000_000,
});

const isFunction = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));
const declaresFunction = (node) =>
  ts.isFunctionDeclaration(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isMethodSignature(node) ||
  isFunction(node.initializer) ||
  ((ts.isPropertySignature(node) || ts.isParameter(node)) && node.type && ts.isFunctionTypeNode(node.type));

/** Returns the functions that a file names, each with its line. */
function* listFunctions(file, text) {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const nodes = [tree];
  for (const node of nodes) {
    ts.forEachChild(node, (child) => void nodes.push(child));
    const name = declaresFunction(node) && node.name?.text;
    if (name) yield { name, line: tree.getLineAndCharacterOfPosition(node.getStart()).line + 1 };
  }
}

for (const file of files.split('\0').filter((name) => name && !excluded.test(name))) {
  const bytes = readFileSync(file, { flag: 'r' });
  if (bytes.includes(0)) continue;
  for (const [index, text] of bytes.toString().split('\n').entries()) {
    const fault = (found, advice) => faults.push(`${file}:${index + 1}: “${found}” (${advice})`);
    const own = text.replace(quoted, '');
    for (const [british, american] of spellings) {
      const found = british.exec(own);
      if (found) fault(found[0], `US spelling: ${american}`);
    }
    for (const [name] of text.matchAll(shortUnit)) if (!givenNames.has(name)) fault(name, 'spell the unit out');
  }
  if (!/\.(?:[cm]?ts|tsx|mjs)$/.test(file)) continue;
  for (const { name, line } of listFunctions(file, bytes.toString())) {
    unusedPrepositions.delete(name);
    if (hidesVerb.test(name) && !startsWithVerb.test(name) && !knownPrepositions.has(name))
      faults.push(`${file}:${line}: “${name}” (name a function by a verb)`);
  }
}
for (const name of unusedPrepositions) faults.push(`.ci/prepositions.txt: “${name}” (no function has it: delete it)`);
if (faults.length > 0) console.error(`${faults.join('\n')}\n${faults.length} spellings to change.`);
process.exitCode = faults.length > 0 ? 1 : 0;
