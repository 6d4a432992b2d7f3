import '../../chat/interpreted-schemas.ts';
import { Assistant } from '../../chat/assistant.tsx';
import { useService } from '../service.tsx';

/** The view Chat: the build assistant, with the key of the console. */
const Chat = () => {
  const { apiKey, demo } = useService();
  return <Assistant apiKey={apiKey} isFakeModel={demo.isFakeModel ?? false} />;
};

export default Chat;
