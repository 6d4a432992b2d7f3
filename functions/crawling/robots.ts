import { limits } from '../domain/limits.ts';

/** Allows or forbids paths that begin with `pattern`, in which `*` is any text and a `$` at the end is the end. */
type Rule = { allows: boolean; pattern: string };

/**
 * Returns a filter of a site's URLs by its robots.txt (RFC 9309) for a crawler. Time and memory are bounded, whatever the
 * file holds: only the rules for this crawler are kept, at most `limits.robotsRules` of them, and matching is linear.
 */
export const robotsFilter = (text: string, crawler: string): ((url: URL) => boolean) => {
  const rules = rulesFor(text, crawler.toLowerCase());
  return ({ pathname, search }) => {
    const path = withUpperCaseEscapes(pathname + search);
    let decisive: Rule = { allows: true, pattern: '' };
    for (const rule of rules) {
      const difference = rule.pattern.length - decisive.pattern.length;
      // The longest matching rule decides. If two are equally long, the one that allows wins.
      if (difference < 0 || (difference === 0 && !rule.allows)) continue;
      if (matches(rule.pattern, path)) decisive = rule;
    }
    return decisive.allows;
  };
};

/** Returns the rules of the groups for a crawler or, without such a group, of those for all crawlers. */
const rulesFor = (text: string, crawler: string): Rule[] => {
  const groups = new Map<string, Rule[]>();
  let agents: string[] = [];
  let isAmongRules = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, name = '', value = ''] = /^([^:#]*):([^#]*)/.exec(line) ?? [];
    const field = name.trim().toLowerCase();
    if (!field) continue;
    if (field === 'user-agent') {
      if (isAmongRules) agents = [];
      const agent = value.replace(/\/.*/, '').trim().toLowerCase();
      if ((agent === crawler || agent === '*') && !agents.includes(agent)) agents.push(agent);
    } else if (field === 'allow' || field === 'disallow' || field === 'crawl-delay') {
      // A delay without rules also makes a group, which then allows everything.
      const pattern = field === 'crawl-delay' ? '' : patternOf(value.trim());
      for (const agent of agents) {
        const rules = groups.get(agent) ?? [];
        groups.set(agent, rules);
        if (pattern && rules.length < limits.robotsRules) rules.push({ allows: field === 'allow', pattern });
      }
    }
    isAmongRules = field !== 'user-agent';
  }
  return groups.get(crawler) ?? groups.get('*') ?? [];
};

/** Returns a pattern as it is compared with paths: percent-encoded, as URLs are. Returns nothing for one that is longer than any URL. */
const patternOf = (text: string): string => {
  const value = text.replace(/\*+/g, '*');
  if (value.length > limits.urlCharacters || !value.isWellFormed()) return '';
  return withUpperCaseEscapes(encodeURI(value).replaceAll('%25', '%'));
};

const withUpperCaseEscapes = (path: string) => path.replace(/%[\da-f]{2}/gi, (byte) => byte.toUpperCase());

/** Finds the parts between wildcards one after another, each as early as possible, so that nothing is tried twice. */
const matches = (pattern: string, path: string): boolean => {
  const isAnchored = pattern.endsWith('$');
  const [first = '', ...parts] = (isAnchored ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  const last = isAnchored ? parts.pop() : undefined;
  if (isAnchored && last === undefined) return path === first;
  let position = first.length;
  for (const part of parts) {
    const found = path.indexOf(part, position);
    if (found < 0) return false;
    position = found + part.length;
  }
  return last === undefined || (path.length - last.length >= position && path.endsWith(last));
};
