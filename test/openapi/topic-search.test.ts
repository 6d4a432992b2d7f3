import { expect, it } from 'vitest';
import { TopicSearch } from '../../functions/openapi/topic-search.ts';

it('the last word of a query that is being typed matches words that begin with it, and no other word does', () => {
  const topic = (title: string) => ({ title, text: title, page: `/docs/${title}` });
  const topics = new TopicSearch(['webhooks', 'pagination', 'plan', 'planet'].map(topic));
  const find = (query: string, isTyping?: boolean) => topics.search(query, 5, isTyping).map(({ title }) => title);
  expect(find('webh', true)).toEqual(['webhooks']);
  expect(find('webh')).toEqual([]);
  expect(find('plan pagin', true).sort()).toEqual(['pagination', 'plan']);
});
