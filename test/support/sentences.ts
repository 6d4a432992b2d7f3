/** Thirty and more everyday sentences of each language, one a line, as a business or a sign says them. */
export const sentences = {
  german: `
Wir haben von Montag bis Freitag geöffnet.
Am Samstag schließen wir um zwölf Uhr.
Bitte vereinbaren Sie einen Termin für Ihr Kind.
Die Anmeldung ist nur schriftlich möglich.
Für Schüler und Studenten gibt es Ermäßigungen.
Parkplätze finden Sie hinter dem Gebäude.
Hunde müssen draußen bleiben.
Das Mittagsmenü kostet fünfzehn Euro.
Unser Büro liegt in der Hauptstraße.
Rückgabe innerhalb von vierzehn Tagen möglich.
Alle Preise verstehen sich zuzüglich Mehrwertsteuer.
Während der Ferien gelten andere Öffnungszeiten.
Frühstück gibt es täglich ab sieben Uhr.
Übung macht den Meister.`,
  french: `
Nous sommes ouverts du lundi au samedi, même les jours fériés.
Le café est à deux euros et le thé à trois.
Fermé du premier au quinze août.
Les enfants de moins de dix ans ne paient pas l’entrée.
Veuillez réserver votre table à l’avance.
Où est la gare, s’il vous plaît ?
La réponse arrive en général sous deux jours.
Cet hôtel est situé près de la forêt.`,
  spanish: `
¿A qué hora abren mañana por la mañana?
El médico atiende los martes y jueves.
Los niños menores de cinco años no pagan.
Está prohibido fumar en todo el edificio.
¡Feliz Año Nuevo a todos los clientes!
La dirección está en el teléfono de información.`,
  others: `
Não há estacionamento, mas a estação fica próxima.
A recepção está aberta até às dez da noite.
La città è più bella di così, però è cara.
Perché il negozio è chiuso di lunedì?
Vi har öppet alla dagar från åtta på morgonen.
Bröd och smör ingår i priset på frukosten.
Vi holder åpent på søndager før jul.
Børn under tre år rejser gratis med færgen.
Pääsymaksu on kymmenen euroa henkilöltä päivässä.
De patiënten komen één keer per week naar het café.`,
  turkish: `
Pazartesiden cumaya kadar açığız.
Cumartesi günü öğleden sonra kapalıyız.
Randevu almak için lütfen bizi arayın.
Çocuklar için giriş ücretsizdir.
Fiyatlara katma değer vergisi dahildir.
Otopark binanın arkasındadır.
İade süresi on dört gündür.
Kahvaltı sabah yedide başlar.
Köpekler dışarıda kalmalıdır.
Öğrencilere indirim yapılır.
Siparişiniz iki gün içinde ulaşır.
Bugün hava çok güzel, değil mi?
Kredi kartı ile ödeme yapabilirsiniz.
Şubemiz istasyonun karşısındadır.
Lütfen sıra numarası alınız.
Müşteri hizmetlerine hoş geldiniz.
Kargo ücreti alıcıya aittir.
Bayram günlerinde hizmet vermiyoruz.
Saç kesimi yüz elli liradır.
Yeni yılınız kutlu olsun.
Sigara içmek yasaktır.
Faturanız e-posta ile gönderilecektir.
Ürünün garantisi iki yıldır.
Doktor bugün saat beşe kadar burada.
Şikâyetlerinizi yazılı olarak bildiriniz.
Masanızı önceden ayırtmanız gerekir.
Ağaç yaşken eğilir.
Damlaya damlaya göl olur.
Kapıyı kapatmayı unutmayın.
Taksi durağı köşededir.
Türkçe ve İngilizce konuşuyoruz.`,
  russian: `
Мы работаем с понедельника по пятницу.
В субботу мы закрываемся в полдень.
Пожалуйста, запишитесь на приём заранее.
Вход для детей бесплатный.
Стоимость доставки двести рублей.
Парковка находится за зданием.
Собак с собой брать нельзя.
Завтрак подают с семи часов утра.
Возврат возможен в течение четырнадцати дней.
Студентам предоставляется скидка.
Ваш заказ прибудет через два дня.
Можно ли оплатить картой?
Наш офис расположен напротив вокзала.
Курить запрещено.
Возьмите талон и ждите своей очереди.
Все цены указаны с учётом налога.
Врач принимает по вторникам и четвергам.
В праздничные дни мы не работаем.
Стрижка стоит полторы тысячи рублей.
Счёт будет отправлен по электронной почте.
Гарантия на товар два года.
С Новым годом, дорогие клиенты!
Подскажите, который час?
Не забудьте закрыть дверь.
Тише едешь, дальше будешь.
Повторение мать учения.
Библиотека открыта ежедневно, кроме среды.
Столик лучше заказать накануне.
Мастер перезвонит вам в течение часа.
Стоянка такси за углом.
Добро пожаловать в нашу гостиницу!`,
  japanese: `
営業時間は午前九時から午後六時までです。
土曜日は正午に閉店します。
ご予約はお電話でお願いします。
お子様の入場は無料です。
駐車場は建物の裏にあります。
犬を連れての入店はご遠慮ください。
朝食は七時から始まります。
返品は十四日以内に限ります。
学生割引があります。
ご注文の品は二日後に届きます。
クレジットカードで支払えますか。
当店は駅の向かいにございます。
館内は禁煙です。
番号札をお取りになってお待ちください。
価格はすべて税込みです。
診察は火曜日と木曜日に行います。
祝日はお休みをいただきます。
カットは四千円からです。
請求書はメールでお送りします。
保証期間は二年間です。
明けましておめでとうございます。
今何時ですか。
ドアを閉めるのを忘れないでください。
千里の道も一歩から。
猿も木から落ちる。
図書館は水曜日を除いて毎日開いています。
席は前日までに予約してください。
担当者が一時間以内に折り返します。
タクシー乗り場は角にあります。
ホテルへようこそ。
メニューは英語版もあります。`,
  chinese: `
我们的营业时间是周一至周五。
星期六中午十二点关门。
请提前打电话预约。
儿童免费入场。
停车场在大楼后面。
请勿携带宠物入内。
早餐从早上七点开始供应。
十四天内可以退货。
学生凭证件可以打折。
您的订单将在两天后送达。
可以用信用卡付款吗？
我们的办公室在火车站对面。
馆内禁止吸烟。
请取号并耐心等候。
所有价格均已含税。
医生每周二和周四出诊。
节假日不营业。
理发的价格是五十元。
发票将通过电子邮件发送。
产品保修期为两年。
祝您新年快乐，万事如意！
请问现在几点了？
出门请不要忘记关门。
千里之行，始于足下。
熟能生巧。
图书馆除星期三外每天开放。
座位请提前一天预订。
工作人员会在一小时内回电。
出租车站在拐角处。
欢迎光临我们的酒店。
菜单有英文版本。`,
  korean: `
영업시간은 오전 아홉 시부터 오후 여섯 시까지입니다.
토요일에는 정오에 문을 닫습니다.
예약은 전화로 부탁드립니다.
어린이는 무료로 입장할 수 있습니다.
주차장은 건물 뒤에 있습니다.
애완동물은 데리고 들어올 수 없습니다.
아침 식사는 일곱 시부터입니다.
반품은 십사 일 이내에 가능합니다.
학생 할인이 있습니다.
주문하신 물건은 이틀 뒤에 도착합니다.
신용카드로 결제할 수 있나요?
저희 사무실은 역 맞은편에 있습니다.
실내에서는 금연입니다.
번호표를 뽑고 기다려 주세요.
모든 가격에는 세금이 포함되어 있습니다.
진료는 화요일과 목요일에 합니다.
공휴일은 쉽니다.
머리 자르는 값은 이만 원입니다.
청구서는 이메일로 보내 드립니다.
보증 기간은 이 년입니다.
새해 복 많이 받으세요.
지금 몇 시예요?
문 닫는 것을 잊지 마세요.
천 리 길도 한 걸음부터.
원숭이도 나무에서 떨어진다.
도서관은 수요일을 빼고 매일 엽니다.
자리는 하루 전에 예약해 주세요.
담당자가 한 시간 안에 전화드리겠습니다.
택시 승강장은 모퉁이에 있습니다.
저희 호텔에 오신 것을 환영합니다.
메뉴는 영어로도 있습니다.`,
};
