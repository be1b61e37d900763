"""Words of scales that no vocabulary holds: steps apart by bars, words for the same step by commas.

Levels of education stand in the order of a country's own list: for China GB/T 4658-2006, by code.
"""

SCALES = (
    # English
    "very low|low|medium,moderate|high|very high",
    "low|normal|above normal|high,well above normal",
    "none|mild|moderate|severe|critical,very severe",
    "small|medium|large",
    "xxs|xs|s|m|l|xl|xxl|xxxl",
    "poor|fair|good|very good|excellent",
    "very bad|bad|fair|good|very good",
    "very poor|poor|average|good|very good",
    "strongly disagree,completely disagree,disagree strongly|disagree|somewhat disagree,disagree somewhat,"
    "slightly disagree|neither agree nor disagree,neutral,undecided,neither|somewhat agree,agree somewhat,"
    "slightly agree|agree|strongly agree,completely agree,agree strongly",
    "very dissatisfied,extremely dissatisfied|dissatisfied|somewhat dissatisfied"
    "|neither satisfied nor dissatisfied,neutral|somewhat satisfied|satisfied|very satisfied,"
    "extremely satisfied",
    "very unlikely,extremely unlikely|unlikely|somewhat unlikely|neither likely nor unlikely,neutral"
    "|somewhat likely|likely|very likely,extremely likely",
    "very unimportant|somewhat unimportant|neither important nor unimportant,"
    "neither important nor unimportant (neutral)|somewhat important|very important",
    "not at all important|not very important,slightly important|somewhat important,moderately important"
    "|important|very important|extremely important",
    "very unfavorably,very unfavorable|somewhat unfavorably,somewhat unfavorable"
    "|neither favorably nor unfavorably (neutral),neutral|somewhat favorably,somewhat favorable"
    "|very favorably,very favorable",
    "not at all|a little,a little bit|somewhat,moderately|quite a bit|very much|extremely",
    "not at all|not much,not very much|some,a fair amount|a lot,a great deal",
    "not at all|several days|more than half the days|nearly every day",
    "never|rarely,seldom,hardly ever,almost never,once in a while|sometimes,occasionally,"
    "about half the time|often,usually,frequently,most of the time|very often,almost always|always",
    "never|once a year or less|once a month or less|a few times per month|a few times per week|every day,"
    "every night",
    "never|a few times a year,a few times a year or less|once a month,once a month or less"
    "|a few times a month|once a week|a few times a week|every day,daily",
    "never|rarely,seldom|yearly,annually,once a year|quarterly|"
    "monthly,once a month|fortnightly|weekly,once a week"
    "|daily,every day",
    "much less|less,fewer|same,the same,about the same|more|much more",
    "decreased|same,the same,no change,unchanged,remained the same,stayed the same|increased",
    "much worse|worse,somewhat worse|same,the same,about the same|better,somewhat better|much better",
    "very easy|easy|neutral|difficult|very difficult",
    "beginner,novice|intermediate|advanced|expert",
    "junior|middle,mid,mid-level|senior",
    "freshman|sophomore|junior|senior|graduate,graduate student,postgraduate",
    "underweight|normal,normal weight,healthy weight|overweight|obese",
    "none|primary,primary school|secondary,secondary school|tertiary,higher",
    "less than high school,less than high school degree,did not complete high school,partial high school,"
    "some high school,no high school|high school,high school degree,high school diploma,high school graduate"
    "|some college,partial college,some college or associate degree|associate degree,associate's degree|"
    "college degree,college graduate|bachelor,bachelors,bachelor degree,bachelor's degree,bachelor's"
    "|master,masters,master degree,master's degree,master's,graduate degree,graduate school,"
    "post-undergraduate degree,postgraduate|phd,ph.d.,doctorate,"
    "doctoral degree,doctorate degree",
    # German
    "sehr niedrig,sehr gering|niedrig,gering|mittel|hoch|sehr hoch",
    "nie,niemals|selten|manchmal,gelegentlich|oft,häufig|immer",
    "trifft gar nicht zu,trifft überhaupt nicht zu|trifft nicht zu|trifft eher nicht zu|teils/teils,"
    "teils teils|trifft eher zu|trifft zu|trifft voll zu,trifft voll und ganz zu,trifft völlig zu",
    "stimme gar nicht zu,stimme überhaupt nicht zu|stimme nicht zu|stimme eher nicht zu|teils/teils,"
    "weder noch|stimme eher zu|stimme zu|stimme voll zu,stimme voll und ganz zu",
    "sehr unzufrieden|unzufrieden|eher unzufrieden|teils/teils|eher zufrieden|zufrieden|sehr zufrieden",
    "sehr schlecht|schlecht|mittelmäßig|gut|sehr gut",
    "ungenügend|mangelhaft|ausreichend|befriedigend|gut|sehr gut",
    # French
    "très faible|faible,bas|moyen,modéré|élevé,fort,haut|très élevé,très fort",
    "jamais|rarement|parfois,quelquefois|souvent|toujours",
    "pas du tout d'accord|plutôt pas d'accord,pas d'accord|ni d'accord ni pas d'accord,neutre"
    "|plutôt d'accord|d'accord|tout à fait d'accord",
    "pas du tout satisfait,très insatisfait|peu satisfait,plutôt pas satisfait,insatisfait"
    "|plutôt satisfait,assez satisfait|satisfait|très satisfait",
    "pas du tout|un peu|assez,moyennement|beaucoup",
    "jamais|quelques fois par an,quelques fois par année|une fois par mois|quelques fois par mois"
    "|une fois par semaine|quelques fois par semaine|chaque jour,tous les jours",
    # Spanish
    "muy bajo,muy baja|bajo,baja|medio,media|alto,alta|muy alto,muy alta",
    "nunca|casi nunca,rara vez,raramente|a veces,algunas veces|casi siempre,a menudo,frecuentemente|siempre",
    "nunca|algunas veces al año,pocas veces al año,pocas veces al año o menos|una vez al mes,"
    "una vez al mes o menos|algunas veces al mes,pocas veces al mes,unas pocas veces al mes"
    "|una vez a la semana|algunas veces a la semana,pocas veces a la semana,unas pocas veces a la semana"
    "|diariamente,todos los días,cada día",
    "totalmente en desacuerdo,muy en desacuerdo|en desacuerdo|ni de acuerdo ni en desacuerdo,neutral,"
    "indiferente|de acuerdo|totalmente de acuerdo,muy de acuerdo",
    "muy insatisfecho|insatisfecho|ni satisfecho ni insatisfecho,neutral|satisfecho|muy satisfecho",
    "muy malo,muy mala|malo,mala|regular|bueno,buena|muy bueno,muy buena",
    # Portuguese
    "muito baixo,muito baixa|baixo,baixa|médio,média|alto,alta|muito alto,muito alta",
    "nunca|raramente|às vezes,as vezes|frequentemente,muitas vezes|sempre",
    "nunca|algumas vezes ao ano,algumas vezes por ano|uma vez ao mês,uma vez por mês"
    "|algumas vezes ao mês,algumas vezes por mês|uma vez por semana|algumas vezes por semana"
    "|diariamente,todos os dias",
    "discordo totalmente|discordo,discordo parcialmente|neutro,não concordo nem discordo,indiferente"
    "|concordo,concordo parcialmente|concordo totalmente",
    "péssimo,péssima,muito ruim|ruim|regular|bom,boa|muito bom,muito boa|ótimo,ótima,excelente",
    "analfabeto|lê e escreve|fundamental incompleto,ensino fundamental incompleto|fundamental completo,"
    "ensino fundamental completo|médio incompleto,ensino médio incompleto|médio completo,"
    "ensino médio completo|superior incompleto,ensino superior incompleto|superior completo,"
    "ensino superior completo",
    # Italian, Dutch
    "molto basso,molto bassa|basso,bassa|medio,media|alto,alta|molto alto,molto alta",
    "mai|raramente|a volte,qualche volta|spesso|sempre",
    "molto in disaccordo,totalmente in disaccordo,per niente d'accordo|in disaccordo|neutrale,indifferente,"
    "né d'accordo né in disaccordo|d'accordo|molto d'accordo,totalmente d'accordo,completamente d'accordo",
    "laag|gemiddeld|hoog",
    "nooit|zelden|soms|vaak|altijd",
    # Polish, Turkish
    "niski,niska,niskie|średni,średnia,średnie|wysoki,wysoka,wysokie",
    "nigdy|rzadko|czasami,czasem|często|zawsze",
    "zdecydowanie nie|raczej nie|trudno powiedzieć|raczej tak|zdecydowanie tak",
    "podstawowe|gimnazjalne|zawodowe,zasadnicze zawodowe|średnie|policealne|wyższe",
    "düşük|orta|yüksek",
    "hiçbir zaman,asla|nadiren|bazen|sık sık,genellikle|her zaman",
    "kesinlikle katılmıyorum|katılmıyorum|kararsızım|katılıyorum|kesinlikle katılıyorum",
    "ilkokul|ortaokul|lise|önlisans,ön lisans|lisans,üniversite|yüksek lisans|doktora",
    "çok kötü|kötü|orta,ne iyi ne kötü|iyi|çok iyi",
    "hiç memnun değilim|memnun değilim|kararsızım|memnunum|çok memnunum",
    # Polish, Czech, Hungarian
    "zdecydowanie nieważne,zupełnie nieważne|raczej nieważne,nieważne|trudno powiedzieć|raczej ważne,ważne"
    "|bardzo ważne,zdecydowanie ważne",
    "zdecydowanie się nie zgadzam,zdecydowanie nie zgadzam się|raczej się nie zgadzam,raczej nie zgadzam się,"
    "nie zgadzam się|trudno powiedzieć,nie mam zdania|raczej się zgadzam,raczej zgadzam się,zgadzam się"
    "|zdecydowanie się zgadzam,zdecydowanie zgadzam się",
    "bardzo źle|źle|przeciętnie,średnio|dobrze|bardzo dobrze",
    "rozhodně ne,určitě ne|spíše ne|nevím|spíše ano|rozhodně ano,určitě ano",
    "rozhodně nesouhlasím|spíše nesouhlasím,nesouhlasím|nevím|spíše souhlasím,souhlasím|rozhodně souhlasím",
    "nikdy|zřídka,málokdy|občas,někdy|často|vždy",
    "soha|ritkán|néha|gyakran|mindig",
    "általános iskola,8 általános,alapfokú|szakmunkás,szakmunkásképző,szakiskola|érettségi,középiskola,"
    "gimnázium,középfokú|főiskola|egyetem,felsőfokú",
    "základní|vyučen,vyučení,střední bez maturity|střední s maturitou,maturita,středoškolské|vyšší odborné|"
    "vysokoškolské,vysoká škola",
    "egyáltalán nem ért egyet,egyáltalán nem értek egyet|inkább nem ért egyet,inkább nem értek egyet,"
    "nem értek egyet|semleges|inkább egyetért,inkább egyetértek,egyetértek|teljesen egyetért,"
    "teljesen egyetértek,teljes mértékben egyetértek",
    # Romanian, Croatian, Serbian
    "niciodată|rar,rareori|uneori|des,adesea,deseori|întotdeauna,mereu",
    "dezacord total|dezacord,dezacord parțial|neutru|acord,acord parțial|acord total",
    "nikad,nikada|rijetko,retko|ponekad|često|uvijek,uvek",
    "uopće se ne slažem,uopšte se ne slažem,u potpunosti se ne slažem|ne slažem se,uglavnom se ne slažem"
    "|niti se slažem niti se ne slažem|slažem se,uglavnom se slažem|u potpunosti se slažem,potpuno se slažem",
    # Finnish, Swedish, Danish, Norwegian
    "ei koskaan|harvoin|joskus|usein|aina",
    "täysin eri mieltä|jokseenkin eri mieltä,osittain eri mieltä|en osaa sanoa|jokseenkin samaa mieltä,"
    "osittain samaa mieltä|täysin samaa mieltä",
    "aldrig|sällan|ibland|ofta|alltid",
    "aldrig|sjældent|af og til,nogle gange|ofte|altid",
    "aldri|sjelden|av og til,noen ganger|ofte|alltid",
    "instämmer inte alls|instämmer delvis,instämmer till viss del|instämmer i stort sett|instämmer helt",
    "helt uenig|uenig,delvist uenig,delvis uenig|hverken enig eller uenig|enig,delvist enig,delvis enig"
    "|helt enig",
    # Thai, Hindi
    "น้อยที่สุด|น้อย|ปานกลาง|มาก|มากที่สุด",
    "ไม่เห็นด้วยอย่างยิ่ง|ไม่เห็นด้วย|ไม่แน่ใจ,เฉยๆ|เห็นด้วย|เห็นด้วยอย่างยิ่ง",
    "ไม่เคย|นานๆ ครั้ง|บางครั้ง|บ่อยครั้ง,บ่อย|เป็นประจำ,เสมอ",
    "ประถมศึกษา|มัธยมศึกษา|ปวช,ปวช.|ปวส,ปวส.,อนุปริญญา|ต่ำกว่าปริญญาตรี|ปริญญาตรี|ปริญญาโท|ปริญญาเอก",
    "पूरी तरह असहमत|असहमत|तटस्थ|सहमत|पूरी तरह सहमत",
    "कभी नहीं|शायद ही कभी|कभी-कभी|अक्सर|हमेशा",
    # Ukrainian
    "ніколи|рідко|іноді,інколи|часто|завжди",
    "зовсім не згоден|не згоден,скоріше не згоден|важко відповісти|згоден,скоріше згоден|повністю згоден",
    # Vietnamese, Indonesian
    "hoàn toàn không đồng ý,rất không đồng ý|không đồng ý|bình thường,trung lập|đồng ý|hoàn toàn đồng ý,"
    "rất đồng ý",
    "rất không hài lòng|không hài lòng|bình thường|hài lòng|rất hài lòng",
    "tiểu học|thcs,trung học cơ sở|thpt,trung học phổ thông|trung cấp|cao đẳng|đại học|thạc sĩ|tiến sĩ",
    "sangat tidak puas|tidak puas|cukup puas,cukup,netral|puas|sangat puas",
    "sangat buruk|buruk|cukup|baik|sangat baik",
    "sangat rendah|rendah|sedang|tinggi|sangat tinggi",
    "thấp|trung bình|cao",
    "không bao giờ|hiếm khi|thỉnh thoảng|thường xuyên|luôn luôn",
    "yếu|trung bình|khá|giỏi|xuất sắc",
    "rendah|sedang|tinggi",
    "tidak pernah|jarang|kadang-kadang|sering|selalu",
    "sangat tidak setuju|tidak setuju|netral,ragu-ragu|setuju|sangat setuju",
    "sd|smp|sma,smk|d3|s1|s2|s3",
    # Chinese
    "文盲,未上过学|学前教育|小学|初中|高中,普通高中|技校,中技,技工学校|职高,职业高中|中专,中等职业教育"
    "|大专,专科,大学专科|本科,大学本科|硕士,硕士研究生|博士,博士研究生",
    "很低,非常低|低,较低,偏低|中,中等,一般,正常|高,较高,偏高|很高,非常高",
    "很差,非常差|差,较差,比较差|一般,中等,中|好,较好,比较好|很好,非常好",
    "不及格,不合格|及格,合格|中,中等|良,良好|优,优秀",
    "无|轻,轻度,轻微|中,中度|重,重度,严重",
    "小,小型|中,中型|大,大型",
    "很不健康,非常不健康|不健康|比较不健康|一般|比较健康|健康|很健康,非常健康",
    "从不,从来不,从未|很少,极少|偶尔|有时|经常,常常|总是,一直,非常频繁",
    *(
        f"完全不{word},非常不{word},很不{word}|不{word}|不太{word},较不{word},比较不{word}|一般,中立,不确定"
        f"|基本{word},较{word},比较{word},有点{word}|{word}|完全{word},非常{word},很{word}"
        for word in ("满意", "同意", "认同", "赞同", "重要", "符合", "了解", "愿意", "支持")
    ),
    "非常负面|比较负面,负面|中立|比较正向,比较正面,正向,正面|非常正向,非常正面",
    # Japanese
    "小学校|中学校|高校,高等学校|専門学校,専修学校|短大,短期大学|大学|大学院",
    "非常に不満,とても不満|不満|やや不満|どちらともいえない,どちらでもない,普通,ふつう|やや満足,まあ満足|満足"
    "|非常に満足,とても満足",
    "そう思わない|あまりそう思わない,ややそう思わない|どちらともいえない,どちらでもない|ややそう思う,まあそう思う"
    "|そう思う",
    "全くない,まったくない|あまりない|ときどき,時々,たまに|よくある|いつも",
    "全くそう思わない,まったくそう思わない|あまりそう思わない|どちらとも言えない,どちらともいえない|ややそう思う"
    "|とてもそう思う,非常にそう思う",
    "無症状|軽症|中等症|重症",
    "低い|普通,ふつう|高い",
    # Korean
    "초등학교|중학교|고등학교|전문대,전문대학|대학,대학교|대학원",
    "매우 불만족|불만족|보통|만족|매우 만족",
    "전혀 그렇지 않다|그렇지 않다|보통,보통이다|그렇다|매우 그렇다",
    "전혀|거의|가끔|자주|항상",
    "낮음|보통|높음",
    # Russian
    "начальное|основное общее,неполное среднее|среднее,среднее общее|среднее специальное,среднее "
    "профессиональное"
    "|незаконченное высшее,неоконченное высшее,неполное высшее|высшее|два и более высших,"
    "несколько высших|ученая степень,учёная степень,научная степень,кандидат наук",
    "элементарный,начальный|ниже среднего|средний|выше среднего|продвинутый",
    "совершенно не согласен,категорически не согласен,абсолютно не согласен,полностью не согласен"
    "|не согласен|скорее не согласен,скорее не согласен чем согласен"
    "|затрудняюсь ответить,трудно сказать,где-то посередине,нечто среднее,и да и нет,нейтрально"
    "|скорее согласен,скорее согласен чем не согласен|согласен|полностью согласен,абсолютно согласен",
    "очень низкий|низкий|средний|высокий|очень высокий",
    "очень плохо|плохо|удовлетворительно|хорошо|отлично",
    "никогда|практически никогда,почти никогда|редко|скорее редко|иногда|скорее часто|часто"
    "|практически всегда,почти всегда|всегда",
    "точно нет,определенно нет|скорее нет|затрудняюсь ответить,не знаю|скорее да|точно да,определенно да",
    # Greek, Arabic
    "ποτέ|σπάνια|μερικές φορές|συχνά|πάντα",
    "διαφωνώ απόλυτα|διαφωνώ|ούτε συμφωνώ ούτε διαφωνώ,ουδέτερο|συμφωνώ|συμφωνώ απόλυτα",
    "καθόλου|λίγο|μέτρια,αρκετά|πολύ|πάρα πολύ",
    "χαμηλό|μέτριο|υψηλό",
    "أبدا|نادرا|أحيانا|غالبا|دائما",
    "لا أوافق بشدة|لا أوافق|محايد|أوافق|أوافق بشدة",
    "منخفض|متوسط|مرتفع",
    "ابتدائي,ابتدائية|إعدادي,إعدادية,متوسط|ثانوي,ثانوية|دبلوم|بكالوريوس,جامعي|ماجستير|دكتوراه",
    "δημοτικό,απόφοιτος δημοτικού|γυμνάσιο,απόφοιτος γυμνασίου|λύκειο,απόφοιτος λυκείου|ιεκ|αει,τει,αει/τει,"
    "απόφοιτος αει/τει,απόφοιτος αει,πανεπιστήμιο|μεταπτυχιακό,μεταπτυχιακές σπουδές|διδακτορικό",
    # Hebrew
    "אף פעם,לעולם לא|לעתים רחוקות,לעיתים רחוקות|לפעמים|לעתים קרובות,לעיתים קרובות|תמיד",
    "מאוד לא מסכים,כלל לא מסכים|לא מסכים|ניטרלי,לא יודע|מסכים|מאוד מסכים,מסכים מאוד",
    "בכלל לא,כלל לא|במידה מועטה|במידה בינונית|במידה רבה|במידה רבה מאוד",
)

DEGREES = (
    "not at all,not|hardly,barely,not very,not too,not so|slightly,a little,a bit|somewhat|moderately,fairly|"
    "quite,rather,considerably|very,highly|extremely",
    "überhaupt nicht,gar nicht,nicht|wenig,kaum,eher nicht,nicht sehr|etwas|teilweise,mittelmäßig|"
    "eher,ziemlich|sehr|äußerst,extrem",
    "pas du tout|peu,plutôt pas,pas très,pas|un peu,moyennement|assez,plutôt|très,tout à fait,beaucoup|"
    "extrêmement",
    "nada,para nada|poco,no muy|algo,medianamente|bastante|muy,mucho,totalmente|extremadamente",
    "nada|pouco,não muito|mais ou menos,moderadamente|bastante|muito,totalmente|extremamente",
    "per niente,per nulla,affatto|poco,non molto|abbastanza,mediamente|molto|moltissimo,estremamente",
    "helemaal niet,niet|nauwelijks,een beetje,niet erg,niet zo|enigszins|tamelijk,redelijk|zeer,erg|"
    "uiterst,extreem",
    "wcale nie,wcale|mało,raczej nie|średnio|raczej,dość|bardzo|niezwykle",
    "hiç|az,çok az,biraz|orta derecede,kısmen|oldukça|çok|son derece,aşırı",
    "전혀|별로|보통|어느 정도,어느정도|대체로|매우,아주",
)
"""Words for degrees that stand before what is asked: very important. A list may have some of them alone."""
