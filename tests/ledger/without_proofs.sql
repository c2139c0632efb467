BEGIN TRANSACTION;
CREATE TABLE about (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
INSERT INTO "about" VALUES('id','d8660409f94a0d8c903b88462b20d196');
INSERT INTO "about" VALUES('version','1');
INSERT INTO "about" VALUES('signer','ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c');
INSERT INTO "about" VALUES('second','');
CREATE TABLE accepted (
    seq INTEGER PRIMARY KEY,
    dataset TEXT NOT NULL REFERENCES datasets (name),
    files TEXT NOT NULL,
    UNIQUE (dataset, files)
);
CREATE TABLE caps (
    since INTEGER PRIMARY KEY,
    population TEXT NOT NULL REFERENCES populations (name),
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    cap BIGINT,
    spent BIGINT NOT NULL,
    last INTEGER,
    UNIQUE (population, scope, name)
);
INSERT INTO "caps" VALUES(2,'replaced','population','replaced',10000000000,1060000000,31);
INSERT INTO "caps" VALUES(3,'replaced','dataset','replaced-data',8000000000,1060000000,31);
INSERT INTO "caps" VALUES(4,'replaced','analyst','ann',6000000000,1060000000,31);
INSERT INTO "caps" VALUES(5,'people','population','people',10000000000,110000000,20);
INSERT INTO "caps" VALUES(6,'people','dataset','people-data',8000000000,110000000,20);
INSERT INTO "caps" VALUES(7,'people','analyst','ann',6000000000,110000000,20);
INSERT INTO "caps" VALUES(8,'pure','population','pure',10000000000,1000000000,23);
INSERT INTO "caps" VALUES(9,'pure','dataset','pure-data',8000000000,1000000000,23);
INSERT INTO "caps" VALUES(10,'pure','analyst','ann',6000000000,1000000000,23);
INSERT INTO "caps" VALUES(11,'replaced','noise','fb23eb25d556fe7bb5f07d7e3c337f5f974e04ffb833e146d46f7444cedb86e5',NULL,40000000,11);
INSERT INTO "caps" VALUES(14,'replaced','noise','5c0944a660bff72502da804de12a2464c9c8f23a90741e420973fc6c65636427',NULL,500000000,14);
INSERT INTO "caps" VALUES(17,'people','noise','ce419c3ae3fdd61534339a290cccabc7bb8046035174176ce094af87507fa269',NULL,20000000,17);
INSERT INTO "caps" VALUES(20,'people','noise','a67b27f5b709a56c04427556e63106bfda1d8136a7b409d6df87e87b101303db',NULL,90000000,20);
INSERT INTO "caps" VALUES(23,'pure','noise','5c0944a660bff72502da804de12a2464c9c8f23a90741e420973fc6c65636427',NULL,1000000000,23);
INSERT INTO "caps" VALUES(26,'replaced','noise','ce419c3ae3fdd61534339a290cccabc7bb8046035174176ce094af87507fa269',NULL,160000000,26);
INSERT INTO "caps" VALUES(31,'replaced','noise','a67b27f5b709a56c04427556e63106bfda1d8136a7b409d6df87e87b101303db',NULL,360000000,31);
CREATE TABLE charges (
    seq INTEGER PRIMARY KEY,
    analyst TEXT NOT NULL,
    request_id TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    dataset TEXT NOT NULL,
    amount BIGINT NOT NULL,
    state TEXT NOT NULL,
    lease TEXT NOT NULL,
    lease_until BIGINT NOT NULL,
    holder TEXT NOT NULL,
    answer_kind TEXT,
    answer TEXT,
    drawn_sha256 TEXT,
    drawn_key TEXT,
    times INTEGER NOT NULL,
    previous INTEGER,
    UNIQUE (analyst, request_id)
);
INSERT INTO "charges" VALUES(11,'ann','request-1','2b39a4dd1d3b495a1205f1f89df5bccbb9d6c8904179e250f921ed427abce098','replaced-data',40000000,'answered','920b877a02c0f2b3934d6922230fc1f4-1',1795707487,'1045e966-29a0-4ba8-b712-87062079cac9/pid:[4026531836]/vm 2773 6599612 66117','bytes','YQ==','abababababababababababababababababababababababababababababababab','cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd',1,NULL);
INSERT INTO "charges" VALUES(14,'ann','request-2','30242c6dfaa175326e3e5510a4924b0364577ee732f5851840c95d5d39f8317b','replaced-data',500000000,'answered','920b877a02c0f2b3934d6922230fc1f4-2',1795707487,'1045e966-29a0-4ba8-b712-87062079cac9/pid:[4026531836]/vm 2773 6599612 66117','bytes','YQ==','abababababababababababababababababababababababababababababababab','cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd',1,11);
INSERT INTO "charges" VALUES(17,'ann','request-3','809e8372b843419e40fa4e727cb92358e9982261e0159cca2b71a99328c84727','people-data',20000000,'answered','920b877a02c0f2b3934d6922230fc1f4-3',1795707487,'1045e966-29a0-4ba8-b712-87062079cac9/pid:[4026531836]/vm 2773 6599612 66117','bytes','YQ==','abababababababababababababababababababababababababababababababab','cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd',1,NULL);
INSERT INTO "charges" VALUES(20,'ann','request-4','42ea4f72e6e5d5dd4aae23afdf19ab52e49e9d0ea2803f8065e6371d1e1382cc','people-data',90000000,'answered','920b877a02c0f2b3934d6922230fc1f4-4',1795707488,'1045e966-29a0-4ba8-b712-87062079cac9/pid:[4026531836]/vm 2773 6599612 66117','bytes','YQ==','abababababababababababababababababababababababababababababababab','cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd',1,17);
INSERT INTO "charges" VALUES(23,'ann','request-5','c2e257975eba73590388d85eeafcf9433a49c9bfd16db34be445401b7601857d','pure-data',1000000000,'answered','920b877a02c0f2b3934d6922230fc1f4-5',1795707488,'1045e966-29a0-4ba8-b712-87062079cac9/pid:[4026531836]/vm 2773 6599612 66117','bytes','YQ==','abababababababababababababababababababababababababababababababab','cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd',1,NULL);
INSERT INTO "charges" VALUES(26,'ann','request-6','78d0974710ed830feba6be011d92094e88f9d90a1c0cf2807da378ecc138f69a','replaced-data',80000000,'answered','920b877a02c0f2b3934d6922230fc1f4-6',1795707488,'1045e966-29a0-4ba8-b712-87062079cac9/pid:[4026531836]/vm 2773 6599612 66117','bytes','YQ==','abababababababababababababababababababababababababababababababab','cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd',2,14);
INSERT INTO "charges" VALUES(31,'ann','request-7','f81c17fead65f712fce88218f805de9856ae6dd0cc755c3037f84fe84ca9f36b','replaced-data',360000000,'charged','920b877a02c0f2b3934d6922230fc1f4-7',0,'',NULL,NULL,'abababababababababababababababababababababababababababababababab','cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd',1,26);
CREATE TABLE datasets (
    name TEXT PRIMARY KEY,
    population TEXT NOT NULL REFERENCES populations (name),
    public_schema TEXT NOT NULL,
    retired INTEGER NOT NULL
);
INSERT INTO "datasets" VALUES('replaced-data','replaced','{}',0);
INSERT INTO "datasets" VALUES('people-data','people','{}',0);
INSERT INTO "datasets" VALUES('pure-data','pure','{}',0);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    at BIGINT NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
);
INSERT INTO "events" VALUES(1,'create',1795707367,'{"id":"d8660409f94a0d8c903b88462b20d196","second":"","signer":"ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c","version":"1"}','eb58d3e6a51affda08dab52dd3dbef26d9e6aaa660d849f86cbbbec4c2a65b5f');
INSERT INTO "events" VALUES(2,'population',1795707367,'{"cap":10000000000,"change":"replace-one","measure":"rho","name":"replaced","signature":"b9bf19c6d140218de6ac2dcb88cf9e2a535a653a2088ff5a592be74c642749c7ad00bf274a0780b4de2562cfd1fc8e5b6946204de5b091a8a205d879994ef40c","unit":"person"}','a638d3c8596f6e2f36a0ba1feb59ee3964b03484439570ac638771064749fb7a');
INSERT INTO "events" VALUES(3,'dataset',1795707367,'{"cap":8000000000,"name":"replaced-data","population":"replaced","schema":"{}","signature":"245772ac180f3b3604f66dfdbb7317ae467f28a1b4a09c066b331156181864cae75b432733ee6a32fce9975b0f11c2aea88bec1b24c3a91d2bef6c445014eb0b"}','836ecad43da79a943885b56541ec2cea3ea98ce98bac99df833437bfa1683a8a');
INSERT INTO "events" VALUES(4,'grant',1795707367,'{"analyst":"ann","cap":6000000000,"population":"replaced","signature":"6ad9c96639ae84d813bcacb72a17df47aa202cc077ca894aa5c070da40a86309bc1ea21242902a4b11da9ab9123a68157087c5ca9d2e410333ea2441b6b60704"}','88a89749d96991e33c88c10a303b4a1f8d684a04aa82d5cc8750ffa2b222b0aa');
INSERT INTO "events" VALUES(5,'population',1795707367,'{"cap":10000000000,"change":"add-remove","measure":"rho","name":"people","signature":"1d7eeb3ddebfb5c2369bc584467d43b95b097470732c5cf29b404f4daedf5b465e92cc78cce87c0e1b9337b83935ae9edeb74ec8612f6b1a79838541b4a27509","unit":"person"}','caef5c42f75cb9f79df928b2db28d824c6698bb3052690703bf5d320285f6e63');
INSERT INTO "events" VALUES(6,'dataset',1795707367,'{"cap":8000000000,"name":"people-data","population":"people","schema":"{}","signature":"e01ea8192f6d0b7818fe3b0aa3ccd83a63a1f7d242587bdad431f3d61dca817496b1056e1d17bb8dc52b43198161e68a949d6d45899e6fab7c3b43cd163d8501"}','365203cdff541d40ebfc1068e402e350d9d4172fe7a5738bebdb3cfe3bde6444');
INSERT INTO "events" VALUES(7,'grant',1795707367,'{"analyst":"ann","cap":6000000000,"population":"people","signature":"9ae752e3cd7b58c8256e79727b72eb92d2b2fa3f74087ff8fff8a3593811c21e11d4f81dc106eee6d8ae92867e127c5013c3432430b1afb09b72796ca5e50e09"}','bc6717bd8157c289542d983aa17bbbd8e43518ee4f4bf4d6316a1678e4df00ab');
INSERT INTO "events" VALUES(8,'population',1795707367,'{"cap":10000000000,"change":"replace-one","measure":"epsilon","name":"pure","signature":"010a09c52405388bfb09203a3ef73cd37e957522e797e46c55948d3f5960a563697623c3c8d1dab99306d9a12ce622bec4c2f52d9f1ecf3a58d5a468f845a209","unit":"person"}','d68cfd800e4347f42bd8263e907c44d1d790ee516cd31a7ed8a55998c6e62974');
INSERT INTO "events" VALUES(9,'dataset',1795707367,'{"cap":8000000000,"name":"pure-data","population":"pure","schema":"{}","signature":"1af4217fc5456958e0da025187f908e5857801670b811edd0a07a43655c47486ad6c2ea1d3eb667ea287bb20b8101e5e0894473e756d3270c536f0bb0227f709"}','76191ef0090dc7670bcb0a55673bdfdff3770037374166251bf2aa2f4fbc8285');
INSERT INTO "events" VALUES(10,'grant',1795707367,'{"analyst":"ann","cap":6000000000,"population":"pure","signature":"1779631f0734e47a96ced06cbfe6fbd5bf6bef2423aa8e45861d9fc77adf9f1648439f1e5e1932b17a3ce22a750f51277a27330b2030102f94377de57abd4f0d"}','245260f657c80f2737962b6796c3807892aa1b3c2b9f2bef7075ab74ff9622fb');
INSERT INTO "events" VALUES(11,'charge',1795707367,'{"amount":40000000,"analyst":"ann","balances":{"analyst":40000000,"dataset":40000000,"population":40000000},"change":"add-remove","cost":{"rho":"1/100"},"dataset":"replaced-data","events":[[{"mechanism":"discrete Gaussian noise","sigma_squared":"50","squared_l2_sensitivity":"1"},1]],"hash":"2b39a4dd1d3b495a1205f1f89df5bccbb9d6c8904179e250f921ed427abce098","request_id":"request-1","what":"a count"}','f192a036b6f51223b94d886e11f157045f163b7d573a8f172500167b15fdf1f2');
INSERT INTO "events" VALUES(12,'drawn',1795707367,'{"charge":11,"key":"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","sha256":"abababababababababababababababababababababababababababababababab"}','1f9a66eadd84108499856c3a09183e114fc25f01b6f3969cda471496b6d19eaf');
INSERT INTO "events" VALUES(13,'answer',1795707367,'{"charge":11,"kind":"bytes","sha256":"ff6c0e5a7b16bb6159c1a6a4e86c55fb088a5b00f8fe9c54defd72e3027786f8"}','db4c5ce80c6739b773570bf464481ea56e76f98c6dd3d0ef768c08824c2d3be1');
INSERT INTO "events" VALUES(14,'charge',1795707367,'{"amount":500000000,"analyst":"ann","balances":{"analyst":540000000,"dataset":540000000,"population":540000000},"change":"add-remove","cost":{"epsilon":"1/2"},"dataset":"replaced-data","events":[[{"epsilon":"1/2","mechanism":"pure DP"},1]],"hash":"30242c6dfaa175326e3e5510a4924b0364577ee732f5851840c95d5d39f8317b","request_id":"request-2","what":"a choice"}','1a8b566e09d7b421ba73edf9ed30f767348b3eb39645557d9e5648b44384dad3');
INSERT INTO "events" VALUES(15,'drawn',1795707367,'{"charge":14,"key":"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","sha256":"abababababababababababababababababababababababababababababababab"}','8d40ab7cb055ad7addd5cb57304f19c83ae467df8d601a7944ab3339f059cd52');
INSERT INTO "events" VALUES(16,'answer',1795707367,'{"charge":14,"kind":"bytes","sha256":"ff6c0e5a7b16bb6159c1a6a4e86c55fb088a5b00f8fe9c54defd72e3027786f8"}','f18060185102050b64b18d14e6d0bb92cb36dd466584aa6897bd0d4e43f16391');
INSERT INTO "events" VALUES(17,'charge',1795707367,'{"amount":20000000,"analyst":"ann","balances":{"analyst":20000000,"dataset":20000000,"population":20000000},"change":"add-remove","cost":{"epsilon":"1/5"},"dataset":"people-data","events":[[{"epsilon":"1/10","mechanism":"pure DP"},2]],"hash":"809e8372b843419e40fa4e727cb92358e9982261e0159cca2b71a99328c84727","request_id":"request-3","what":"two counts"}','0b911411588d349f8bf6ae0bfcd6df8dc449d4ce18bdcc42c7e28aa44e8a68f0');
INSERT INTO "events" VALUES(18,'drawn',1795707367,'{"charge":17,"key":"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","sha256":"abababababababababababababababababababababababababababababababab"}','f1ddac9a00aa04630ea642afb1ba73e6ffbb27fefe11caa5bb31075595f037a7');
INSERT INTO "events" VALUES(19,'answer',1795707367,'{"charge":17,"kind":"bytes","sha256":"ff6c0e5a7b16bb6159c1a6a4e86c55fb088a5b00f8fe9c54defd72e3027786f8"}','7e582e7041790d5a2f39e96321d2bd80cbd9740d12c70363c993937430ae11e6');
INSERT INTO "events" VALUES(20,'charge',1795707368,'{"amount":90000000,"analyst":"ann","balances":{"analyst":110000000,"dataset":110000000,"population":110000000},"change":"add-remove","cost":{"rho":"9/100"},"dataset":"people-data","events":[[{"overlap":9,"parts":[[[{"mechanism":"discrete Gaussian noise","sigma_squared":"50","squared_l2_sensitivity":"1"},1]],[[{"mechanism":"discrete Gaussian noise","sigma_squared":"70","squared_l2_sensitivity":"1"},1],[{"mechanism":"discrete Gaussian noise","sigma_squared":"600","squared_l2_sensitivity":"1"},1]]]},1]],"hash":"42ea4f72e6e5d5dd4aae23afdf19ab52e49e9d0ea2803f8065e6371d1e1382cc","request_id":"request-4","what":"levels"}','b084befafb92736929e7ce681a08525c7b3759c52f0b043d96879d1493fc8da3');
INSERT INTO "events" VALUES(21,'drawn',1795707368,'{"charge":20,"key":"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","sha256":"abababababababababababababababababababababababababababababababab"}','62cda10700a0636b70ba4e7a9d4343ab5c1fea6abcc2d06430b62b2ae21f949a');
INSERT INTO "events" VALUES(22,'answer',1795707368,'{"charge":20,"kind":"bytes","sha256":"ff6c0e5a7b16bb6159c1a6a4e86c55fb088a5b00f8fe9c54defd72e3027786f8"}','ad07304995a832c7e8e3f605ee32594c77a56f8f2f3080dd158e392d32979666');
INSERT INTO "events" VALUES(23,'charge',1795707368,'{"amount":1000000000,"analyst":"ann","balances":{"analyst":1000000000,"dataset":1000000000,"population":1000000000},"change":"add-remove","cost":{"epsilon":"1/2"},"dataset":"pure-data","events":[[{"epsilon":"1/2","mechanism":"pure DP"},1]],"hash":"c2e257975eba73590388d85eeafcf9433a49c9bfd16db34be445401b7601857d","request_id":"request-5","what":"a flip"}','94eda3df55120c55fc3a5f7191190836f63398cab2628cbdc212de9d4a7c67ed');
INSERT INTO "events" VALUES(24,'drawn',1795707368,'{"charge":23,"key":"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","sha256":"abababababababababababababababababababababababababababababababab"}','47783608f5e85e50a06c329f8c68c1cb1536e931d9e3ef6f7b3724497cb9ae59');
INSERT INTO "events" VALUES(25,'answer',1795707368,'{"charge":23,"kind":"bytes","sha256":"ff6c0e5a7b16bb6159c1a6a4e86c55fb088a5b00f8fe9c54defd72e3027786f8"}','c3074c769f95bc45c426a249d5d5c4038b9ddb354cf7350237630def6a38785e');
INSERT INTO "events" VALUES(26,'charge',1795707368,'{"amount":80000000,"analyst":"ann","balances":{"analyst":620000000,"dataset":620000000,"population":620000000},"change":"add-remove","cost":{"epsilon":"1/5"},"dataset":"replaced-data","events":[[{"epsilon":"1/10","mechanism":"pure DP"},2]],"hash":"78d0974710ed830feba6be011d92094e88f9d90a1c0cf2807da378ecc138f69a","request_id":"request-6","what":"two counts"}','def110aa35207615574f1b2c96336ac37313c37de09b5e1f5ee5673ed2c0bd4b');
INSERT INTO "events" VALUES(27,'drawn',1795707368,'{"charge":26,"key":"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","sha256":"abababababababababababababababababababababababababababababababab"}','47f12df056a5a52cf2e2ad8da52706fd9d46588475353198a42c509b3668c382');
INSERT INTO "events" VALUES(28,'redrawn',1795707368,'{"amount":80000000,"balances":{"analyst":700000000,"dataset":700000000,"population":700000000},"charge":26}','70893dd40f45473c5cbee2f3eae476787e1ecab4924017498fa44bc39e9e1643');
INSERT INTO "events" VALUES(29,'drawn',1795707368,'{"charge":26,"key":"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","sha256":"abababababababababababababababababababababababababababababababab"}','752b7061b6fe6bd7b48bd4e2f0baaa96c23b6b32533da923ac3402f221eab268');
INSERT INTO "events" VALUES(30,'answer',1795707368,'{"charge":26,"kind":"bytes","sha256":"ff6c0e5a7b16bb6159c1a6a4e86c55fb088a5b00f8fe9c54defd72e3027786f8"}','1b106dff2a7a29654a11a9f4c2771df3990b8eda06440cc09a18e7794a2c3104');
INSERT INTO "events" VALUES(31,'charge',1795707368,'{"amount":360000000,"analyst":"ann","balances":{"analyst":1060000000,"dataset":1060000000,"population":1060000000},"change":"add-remove","cost":{"rho":"9/100"},"dataset":"replaced-data","events":[[{"overlap":9,"parts":[[[{"mechanism":"discrete Gaussian noise","sigma_squared":"50","squared_l2_sensitivity":"1"},1]],[[{"mechanism":"discrete Gaussian noise","sigma_squared":"70","squared_l2_sensitivity":"1"},1],[{"mechanism":"discrete Gaussian noise","sigma_squared":"600","squared_l2_sensitivity":"1"},1]]]},1]],"hash":"f81c17fead65f712fce88218f805de9856ae6dd0cc755c3037f84fe84ca9f36b","request_id":"request-7","what":"levels"}','49e43f3f8e21ff4cfacb793d504e69b15c64301d437544c05205eea40c87639d');
INSERT INTO "events" VALUES(32,'drawn',1795707368,'{"charge":31,"key":"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","sha256":"abababababababababababababababababababababababababababababababab"}','c76944c767aec98cdd994dc1c49f37cd8dd511bda82948c8c4e2ba31bf5d4c86');
CREATE TABLE populations (
    name TEXT PRIMARY KEY,
    measure TEXT NOT NULL,
    change TEXT NOT NULL,
    unit TEXT NOT NULL,
    retired INTEGER NOT NULL
);
INSERT INTO "populations" VALUES('replaced','rho','replace-one','person',0);
INSERT INTO "populations" VALUES('people','rho','add-remove','person',0);
INSERT INTO "populations" VALUES('pure','epsilon','replace-one','person',0);
CREATE INDEX charges_by_hash ON charges (analyst, request_hash);
COMMIT;
