import { isToolUIPart, type UIMessage } from 'ai';
import { Markdown } from './markdown.tsx';
import { ToolCall } from './tool-call.tsx';

type Props = {
  message: UIMessage;
  isGrowing: boolean;
  /** Only the last message's approval requests can be answered, and only between turns. */
  isLast: boolean;
  canAnswer: boolean;
  onAnswer(approvalId: string, approved: boolean): void;
};

/** A message with its parts in order: texts and tool calls. */
export const Message = ({ message, isGrowing, isLast, canAnswer, onAnswer }: Props) => (
  <article className={`message ${message.role}`} data-growing={isGrowing || undefined}>
    <h2 className="visually-hidden">{message.role === 'user' ? 'You' : 'The assistant'}</h2>
    {message.parts.map((part, index) => {
      if (part.type === 'text' && part.text !== '') {
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are only ever added at the end
        return <Text key={index} text={part.text} isMarkdown={message.role === 'assistant'} />;
      }
      if (!isToolUIPart(part)) return null;
      return <ToolCall key={part.toolCallId} call={part} isLast={isLast} canAnswer={canAnswer} onAnswer={onAnswer} />;
    })}
  </article>
);

/** The assistant writes Markdown, the user plain text. */
const Text = ({ text, isMarkdown }: { text: string; isMarkdown: boolean }) =>
  isMarkdown ? (
    <div className="text" dir="auto">
      <Markdown text={text} />
    </div>
  ) : (
    <p className="text" dir="auto">
      {text}
    </p>
  );
