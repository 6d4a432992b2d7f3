import { type Topic, TopicSearch } from '../../openapi/topic-search.ts';
import { findKeys, isFind } from '../find-keys.ts';

const maxResults = 8;
const maxExcerpt = 140;

let loaded: Promise<TopicSearch> | undefined;

/** Loads the topics of the documentation when they are first needed. */
const load = (): Promise<TopicSearch> => {
  loaded ??= fetchTopics().catch((error) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
};

const fetchTopics = async (): Promise<TopicSearch> => {
  const response = await fetch('/docs/search.json');
  if (!response.ok) throw new Error(`/docs/search.json answered ${response.status}.`);
  return new TopicSearch((await response.json()) as Topic[]);
};

/** Searches while the reader types, or for `q` of the address. As in the console, Ctrl or ⌘ with K leads to it. Enter opens the first result, the arrow keys move among the results, and Escape ends the search. */
export const startSearch = () => {
  const form = document.querySelector<HTMLFormElement>('#search');
  const input = form?.querySelector('input');
  const list = form?.querySelector('ul');
  const status = form?.querySelector('p');
  if (!form || !input || !list || !status) return;

  const show = (topics: Topic[], sentence: string) => {
    list.replaceChildren(...topics.map(createResult));
    status.textContent = sentence;
    form.classList.toggle('open', sentence !== '');
  };
  const search = async () => {
    const query = input.value.trim();
    if (query === '') return show([], '');
    try {
      const topics = (await load()).search(query, maxResults, true);
      if (query !== input.value.trim()) return;
      show(topics, topics.length === 0 ? `Nothing found for “${query}”.` : describeCount(topics.length));
    } catch {
      show([], 'The search could not be loaded. Try again.');
    }
  };
  const close = () => {
    input.value = '';
    show([], '');
  };

  form.hidden = false;
  input.placeholder = `Search … ${findKeys}`;
  input.addEventListener('focus', () => void load().catch(() => {}), { once: true });
  input.addEventListener('input', () => void search());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  form.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')];
    const position = links.indexOf(document.activeElement as HTMLAnchorElement);
    if (event.key === 'Escape') {
      close();
      input.focus();
    } else if (event.key === 'ArrowDown' && position < links.length - 1) {
      links[position + 1]?.focus();
      event.preventDefault();
    } else if (event.key === 'ArrowUp' && position >= 0) {
      (links[position - 1] ?? input).focus();
      event.preventDefault();
    }
  });
  // A result on this page changes only the fragment.
  list.addEventListener('click', close);
  document.addEventListener('pointerdown', (event) => {
    if (!form.contains(event.target as Node)) show([], '');
  });
  document.addEventListener('keydown', (event) => {
    if (!isFind(event) && (event.key !== '/' || event.target !== document.body)) return;
    input.focus();
    event.preventDefault();
  });
  const asked = new URLSearchParams(location.search).get('q');
  if (asked === null) return;
  input.value = asked;
  input.focus();
  void search();
};

const describeCount = (count: number) => `${count} ${count === 1 ? 'result' : 'results'}`;

const createResult = ({ title, page, text }: Topic): HTMLLIElement => {
  const link = document.createElement('a');
  link.href = page;
  const name = document.createElement('strong');
  name.textContent = title;
  const excerpt = document.createElement('span');
  excerpt.textContent = plain(text);
  link.append(name, excerpt);
  const item = document.createElement('li');
  item.append(link);
  return item;
};

/** Returns the beginning of a Markdown text as plain text. */
const plain = (markdown: string): string => {
  const text = markdown
    .replace(/```[\s\S]*?(```|$)/g, ' ')
    .replace(/!\[[^\]]+\]\([^)]+\)/g, ' ')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/^\|.*$/gm, ' ')
    .replace(/[`*#|]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length <= maxExcerpt ? text : `${text.slice(0, text.lastIndexOf(' ', maxExcerpt))} …`;
};
